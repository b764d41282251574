import { quietJson, systemClock, type Log } from '#base';

/** A failure in a log is told in its first words: whoever answers from outside decides how many more there are. */
const MAX_MESSAGE_LENGTH = 500;

/** An error's message is not among what JSON shows of it, and is what an operator needs. */
const withMessages = (_key: string, value: unknown): unknown =>
  value instanceof Error ? { ...value, name: value.name, message: value.message.slice(0, MAX_MESSAGE_LENGTH) } : value;

/** One JSON line per entry. `info` only where it is asked for. */
export function logLines(write: (text: string) => void, isChatty: boolean): Log {
  const line = (level: string) => (message: string, fields: Readonly<Record<string, unknown>> = {}) =>
    write(`${quietJson(JSON.stringify({ time: new Date(systemClock.nowMs()).toISOString(), level, message, ...fields }, withMessages))}\n`);
  return { info: isChatty ? line('info') : () => {}, warn: line('warn'), error: line('error') };
}
