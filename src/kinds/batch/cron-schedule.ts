import type { Faults } from '#api';

/** Lowest and highest value of each field, and names for its values from the lowest one on. */
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
const DURATION = /^[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const ZONE = /^(?:CRON_)?TZ=(\S*)\s+(.*)$/s;

/** Minute, hour, day of the month, month and day of the week; or a nickname such as `@daily`. A time zone may stand before: `TZ=Europe/Berlin`. */
export function checkSchedule(schedule: string): Faults {
  const zoned = ZONE.exec(schedule);
  if (zoned !== null && !isTimeZone(zoned[1] ?? '')) return [`unknown time zone ${zoned[1] ?? ''}`];
  const fault = faultOf((zoned?.[2] ?? schedule).trim());
  return fault === undefined ? undefined : [fault];
}

function faultOf(text: string): string | undefined {
  if (text.startsWith('@')) return isNickname(text) ? undefined : `unrecognized descriptor: ${text}`;
  const parts = text === '' ? [] : text.split(/\s+/);
  if (parts.length !== FIELDS.length) return `expected exactly ${FIELDS.length} fields, found ${parts.length}: ${text}`;
  for (const [position, bounds] of FIELDS.entries()) {
    const bad = (parts[position] ?? '').split(',').find((range) => range !== '' && !isRange(range, bounds));
    if (bad !== undefined) return `field ${position + 1} must be between ${bounds.min} and ${bounds.max}, as value, range or step: ${bad}`;
  }
  return undefined;
}

const isNickname = (text: string): boolean => NICKNAMES.has(text) || (text.startsWith(EVERY) && DURATION.test(text.slice(EVERY.length)));

/** `*`, `5`, `mon-fri`, and any of these with a step: a third part of both is one too many. */
function isRange(text: string, bounds: Bounds): boolean {
  const [ends = '', step, ...more] = text.split('/');
  if (more.length > 0 || (step !== undefined && !(numberOf(step) > 0))) return false;
  const [first = '', last, ...others] = ends.split('-');
  if (first === '*' || first === '?') return true;
  const from = valueOf(first, bounds);
  const to = last === undefined ? from : valueOf(last, bounds);
  const end = last === undefined && step !== undefined ? bounds.max : to;
  return others.length === 0 && from >= bounds.min && end <= bounds.max && from <= end;
}

function valueOf(text: string, { names, min }: Bounds): number {
  const position = names?.indexOf(text.toLowerCase()) ?? -1;
  return position < 0 ? numberOf(text) : min + position;
}

/** NaN compares with nothing, so that what is no number is never in bounds. */
const numberOf = (text: string): number => (/^\+?\d{1,9}$/.test(text) ? Number(text) : NaN);

function isTimeZone(name: string): boolean {
  if (name === '' || name === 'UTC' || name === 'Local') return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name }).format(0);
    return true;
  } catch {
    return false;
  }
}
