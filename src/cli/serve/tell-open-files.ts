import { open } from 'node:fs/promises';
import { every, failureText, systemClock, type Clock, type Log } from '#base';

/** How often it is tried whether another file can be opened. */
const TRY_MS = 10_000;
const HELP: Readonly<Record<string, string>> = {
  EMFILE: 'let this process have more (ulimit -n, LimitNOFILE= of systemd), or look who keeps so many connections open',
  ENFILE: 'let this machine have more (sysctl fs.file-max), or look which process keeps so many files open',
};

interface Replaced {
  readonly clock?: Clock;
  /** Opens a file, and closes it. */
  readonly tryToOpen?: () => Promise<void>;
}

/**
 * Logs that this process can open no more files and connections, and that it can again, until the signal aborts: Node closes new connections then, and
 * tells nobody.
 */
export function tellOpenFiles(log: Log, signal: AbortSignal, { clock = systemClock, tryToOpen = openFolder }: Replaced = {}): void {
  let isTold = false;
  const look = async (): Promise<void> => {
    try {
      await tryToOpen();
      if (isTold) log.warn('files and connections can be opened again');
      isTold = false;
    } catch (cause) {
      const help = HELP[(cause as NodeJS.ErrnoException).code ?? ''];
      if (help === undefined || isTold) return;
      log.error(`no more files and connections can be opened, new connections are closed at once: ${help}`, { error: failureText(cause) });
      isTold = true;
    }
  };
  every(clock, TRY_MS, look, signal);
}

async function openFolder(): Promise<void> {
  const folder = await open('/');
  await folder.close();
}
