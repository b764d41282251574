/** Resolves at the first SIGTERM or SIGINT from now on; a second one ends the process at once. */
export function waitForSignal(): Promise<void> {
  return new Promise((resolve) => {
    let isFirst = true;
    const onSignal = (signal: NodeJS.Signals): void => {
      if (!isFirst) process.exit(signal === 'SIGINT' ? 130 : 143);
      isFirst = false;
      resolve();
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}
