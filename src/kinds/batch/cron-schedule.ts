import { parseDurationMs } from '#base';
import { noDuration, noNumber } from '#errors';
import type { Faults } from '#api';

/** Minimum and maximum of each field, and names for its values, beginning with the minimum. */
const FIELDS: readonly { readonly min: number; readonly max: number; readonly names?: readonly string[] }[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] },
  { min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];
type Bounds = (typeof FIELDS)[number];

const NICKNAMES: ReadonlySet<string> = new Set(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']);
const EVERY = '@every ';
const ZONE = /^(?:CRON_)?TZ=(\S*)\s+(.*)$/s;

/**
 * Checks a cron schedule: minute, hour, day of the month, month and day of the week, or a nickname such as `@daily`; optionally preceded by a time
 * zone as in `TZ=Europe/Berlin`.
 */
export function checkSchedule(schedule: string): Faults {
  const zoned = ZONE.exec(schedule);
  if (zoned !== null && !isTimeZone(zoned[1] ?? '')) return [`provided bad location ${zoned[1] ?? ''}: unknown time zone ${zoned[1] ?? ''}`];
  const fault = faultOf(zoned?.[2]?.trim() ?? schedule);
  return fault === undefined ? undefined : [fault];
}

function faultOf(text: string): string | undefined {
  if (text.startsWith('@')) return nicknameFault(text);
  const parts = text.split(/\s+/).filter((part) => part !== '');
  if (parts.length !== FIELDS.length) return `expected exactly ${FIELDS.length} fields, found ${parts.length}: [${parts.join(' ')}]`;
  for (const [position, bounds] of FIELDS.entries()) {
    for (const range of (parts[position] ?? '').split(',')) {
      const fault = range === '' ? undefined : rangeFault(range, bounds);
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

function nicknameFault(text: string): string | undefined {
  if (NICKNAMES.has(text)) return undefined;
  if (!text.startsWith(EVERY)) return `unrecognized descriptor: ${text}`;
  const time = text.slice(EVERY.length);
  return parseDurationMs(time) === undefined ? `failed to parse duration ${text}: ${noDuration(time)}` : undefined;
}

/** The fault of a range: `*`, `5` or `mon-fri`, each with an optional step. A second hyphen or slash is a fault. */
function rangeFault(text: string, bounds: Bounds): string | undefined {
  const [ends = '', step, ...more] = text.split('/');
  const [first = '', last, ...others] = ends.split('-');
  const isAll = first === '*' || first === '?';
  const start = isAll ? bounds.min : valueOf(first, bounds);
  if (typeof start === 'string') return start;
  if (!isAll && others.length > 0) return `too many hyphens: ${text}`;
  const second = isAll || last === undefined ? start : valueOf(last, bounds);
  if (typeof second === 'string') return second;
  if (more.length > 0) return `too many slashes: ${text}`;
  const width = step === undefined ? 1 : numberOf(step);
  if (typeof width === 'string') return width;
  const end = isAll || (step !== undefined && last === undefined) ? bounds.max : second;
  return boundsFault(start, end, bounds, text) ?? (width === 0 ? `step of range should be a positive number: ${text}` : undefined);
}

function boundsFault(start: number, end: number, { min, max }: Bounds, text: string): string | undefined {
  if (start < min) return `beginning of range (${start}) below minimum (${min}): ${text}`;
  if (end > max) return `end of range (${end}) above maximum (${max}): ${text}`;
  return start > end ? `beginning of range (${start}) beyond end of range (${end}): ${text}` : undefined;
}

/** The value of a name or number, or the fault of the text. */
function valueOf(text: string, { names, min }: Bounds): number | string {
  const position = names?.indexOf(text.toLowerCase()) ?? -1;
  return position < 0 ? numberOf(text) : min + position;
}

function numberOf(text: string): number | string {
  const number = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(number)) return `failed to parse int from ${text}: ${noNumber('Atoi', text)}`;
  return number < 0 ? `negative number (${number}) not allowed: ${text}` : number;
}

/** Whether time zone data has a file of that name: case matters there, though not for `Intl`, which also takes offsets, and other names for older ones. */
function isTimeZone(name: string): boolean {
  if (name === '' || name === 'UTC' || name === 'Local') return true;
  const known = name.split('/').every((part) => /^[A-Z]/.test(part)) ? zoneNamed(name) : undefined;
  return known === name || (known !== undefined && known.toLowerCase() !== name.toLowerCase());
}

function zoneNamed(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
