import type { Scalar } from './scalar.ts';

const FORM = /^(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})([.,]\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** A fast path for times in the form that this server writes, on days that every month has. */
const ORDINARY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

/** What four digits can tell the year of. */
const FIRST_MS = Date.parse('0000-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59Z');

/**
 * RFC 3339 text → milliseconds since the epoch (whole seconds) and the digits of the fraction, or undefined. A comma may stand before the fraction
 * as in ISO 8601, and an hour have one digit. A moment that is in another year in UTC, which nobody could read, is none.
 */
function parseTime(text: string): { readonly ms: number; readonly fraction: string } | undefined {
  const parts = FORM.exec(text);
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction, zone] = parts;
  const whole = `${year}-${month}-${day}T${hour?.padStart(2, '0')}:${minute}:${second}`;
  const utc = Date.parse(`${whole}Z`);
  if (Number.isNaN(utc) || new Date(utc).toISOString().slice(0, 19) !== whole) return undefined;
  const ms = utc - offsetMs(zone ?? 'Z');
  if (ms < FIRST_MS || ms > LAST_MS) return undefined;
  return { ms, fraction: (fraction ?? '.').slice(1) };
}

function offsetMs(zone: string): number {
  if (zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6));
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
}

/** RFC 3339 text, as times of objects are read, → milliseconds since the epoch; undefined: it is none. */
export function readMoment(text: string): number | undefined {
  const time = parseTime(text);
  return time && time.ms + Math.floor(Number(`0.${time.fraction}`) * 1000);
}

/** A moment, to the second, in UTC. @spec 2.2 */
export const timeScalar: Scalar<string> = {
  name: 'time',
  openapi: { type: 'string', format: 'date-time' },
  zero: null,
  read(value) {
    if (typeof value !== 'string') return undefined;
    if (ORDINARY.test(value)) return value;
    const time = parseTime(value);
    return time === undefined ? undefined : formatTime(time.ms);
  },
};

/** A moment, to the microsecond, in UTC. Exactly six digits of a second are read, as the API has it. @spec 2.2 */
export const microTimeScalar: Scalar<string> = {
  name: 'microTime',
  openapi: { type: 'string', format: 'date-time' },
  zero: null,
  read(value) {
    if (typeof value !== 'string') return undefined;
    const time = parseTime(value);
    return time?.fraction.length === 6 ? `${formatTime(time.ms).slice(0, -1)}.${time.fraction}Z` : undefined;
  },
};

/** Milliseconds since the epoch → the wire form, cut to the second. */
export function formatTime(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== lastSecond) {
    lastText = `${new Date(ms).toISOString().slice(0, 19)}Z`;
    lastSecond = second;
  }
  return lastText;
}

/** Cached because thousands of writes happen within one second. */
let lastSecond = NaN;
let lastText = '';

/** Milliseconds since the epoch → the wire form with microseconds. */
export function formatMicroTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}000Z`;
}
