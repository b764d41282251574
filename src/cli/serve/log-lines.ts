import { quietJson, systemClock, type Log } from '#base';

/** One JSON line per entry. `info` only where it is asked for. */
export function logLines(write: (text: string) => void, isChatty: boolean): Log {
  const line = (level: string) => (message: string, fields: Readonly<Record<string, unknown>> = {}) =>
    write(`${quietJson(JSON.stringify({ time: new Date(systemClock.nowMs()).toISOString(), level, message, ...fields }))}\n`);
  return { info: isChatty ? line('info') : () => {}, warn: line('warn'), error: line('error') };
}
