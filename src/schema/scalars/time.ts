import type { Scalar } from './scalar.ts';

const FORM = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})([.,]\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** Times as this server writes them, on days that every month has: most of those it is ever sent. */
const ORDINARY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

/** RFC 3339 text, in which a comma may stand before the fraction as in ISO 8601, → milliseconds since the epoch (whole seconds) and the digits of the fraction, or undefined. */
function parseTime(text: string): { readonly ms: number; readonly fraction: string } | undefined {
  const parts = FORM.exec(text);
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction, zone] = parts;
  const whole = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const utc = Date.parse(`${whole}Z`);
  if (Number.isNaN(utc) || new Date(utc).toISOString().slice(0, 19) !== whole) return undefined;
  return { ms: utc - offsetMs(zone ?? 'Z'), fraction: (fraction ?? '.').slice(1) };
}

function offsetMs(zone: string): number {
  if (zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6));
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
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

/** Thousands of writes happen within one second. */
let lastSecond = NaN;
let lastText = '';

/** Milliseconds since the epoch → the wire form with microseconds. */
export function formatMicroTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}000Z`;
}
