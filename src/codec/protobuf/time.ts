import { formatTime } from '#schema';
import { WireError } from './reader.ts';

const NANOS_PER_MICRO = 1000;
const FIRST_SECOND = Date.parse('0000-01-01T00:00:00Z') / 1000;
const LAST_SECOND = Date.parse('9999-12-31T23:59:59Z') / 1000;
/** Go's zero time, 0001-01-01, which means that there is no time. */
const ZERO_SECOND = Date.parse('0001-01-01T00:00:00Z') / 1000;

/** The whole seconds since the epoch of a time or micro time in its canonical text form. */
export const secondsOf = (text: string): number => Math.floor(Date.parse(text) / 1000);

/** The nanoseconds within the second of such a text. */
export const nanosOf = (text: string): number => (text.length < 27 ? 0 : Number(text.slice(20, 26)) * NANOS_PER_MICRO);

/** The text of a time; null for the zero time. Throws `WireError` outside of the years 0 to 9999. */
export function timeText(seconds: number | bigint): string | null {
  if (seconds === ZERO_SECOND) return null;
  if (!(seconds >= FIRST_SECOND && seconds <= LAST_SECOND)) throw new WireError(`the time ${seconds}s is not in the years 0 to 9999`);
  return formatTime(Number(seconds) * 1000);
}

/** The same with microseconds, truncated. Throws `WireError` also for invalid nanoseconds. */
export function microTimeText(seconds: number | bigint, nanos: number): string | null {
  const whole = timeText(seconds);
  if (whole === null) return null;
  if (nanos < 0 || nanos >= 1e9) throw new WireError(`${nanos} nanoseconds are not within a second`);
  return `${whole.slice(0, -1)}.${String(Math.floor(nanos / NANOS_PER_MICRO)).padStart(6, '0')}Z`;
}
