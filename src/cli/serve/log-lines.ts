import { quietJson, systemClock, type Log } from '#base';

/** Messages are cut to this many characters: remote servers decide how long theirs are. */
const MAX_MESSAGE_LENGTH = 500;

/** JSON omits the message of an `Error`, which operators need. */
const withMessages = (_key: string, value: unknown): unknown =>
  value instanceof Error ? { ...value, name: value.name, message: value.message.slice(0, MAX_MESSAGE_LENGTH) } : value;

/** A log of one JSON line per entry; `info` entries only where `isChatty`. */
export function logLines(write: (text: string) => void, isChatty: boolean): Log {
  const line = (level: string) => (message: string, fields: Readonly<Record<string, unknown>> = {}) =>
    write(`${quietJson(JSON.stringify({ time: new Date(systemClock.nowMs()).toISOString(), level, message, ...fields }, withMessages))}\n`);
  return { info: isChatty ? line('info') : () => {}, warn: line('warn'), error: line('error') };
}
