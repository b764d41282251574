/** What the API says of texts that are no quantity, no time or no base64. */

const QUANTITY = '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$';
/** What is read before the suffix is looked at: stricter than the expression that clients are told. */
const QUANTITY_FORM = /^(?=.)[+-]?[0-9]*(?:\.[0-9]*)?(?:(?:[eEinumkKMGTP]+[-+]?|[-+])[0-9]*)?$/;

/** What the API says of a value that is no quantity. */
export function quantityMisfit(value: unknown): string {
  const text = typeof value === 'string' ? value.trim() : '';
  return QUANTITY_FORM.test(text) ? "unable to parse quantity's suffix" : `quantities must match the regular expression '${QUANTITY}'`;
}

/** One part of a time: its name in the layout, its form, and the largest it may be. */
interface TimePart {
  readonly name: string;
  readonly form: RegExp;
  readonly range?: readonly [word: string, least: number, most: number];
}

const LITERAL = (text: string): TimePart => ({ name: text, form: new RegExp(`^\\${text}`) });
const TWO = /^[0-9]{2}/;

const DAY: readonly TimePart[] = [
  { name: '2006', form: /^[0-9]{4}/ },
  LITERAL('-'),
  { name: '01', form: TWO, range: ['month', 1, 12] },
  LITERAL('-'),
  { name: '02', form: TWO, range: ['day', 1, 31] },
];
const CLOCK: readonly TimePart[] = [
  { name: 'T', form: /^T/ },
  { name: '15', form: TWO, range: ['hour', 0, 23] },
  LITERAL(':'),
  { name: '04', form: TWO, range: ['minute', 0, 59] },
  LITERAL(':'),
  { name: '05', form: TWO, range: ['second', 0, 59] },
];
const ZONE: TimePart = { name: 'Z07:00', form: /^(?:Z|[+-][0-9]{2}:[0-9]{2})/ };

const LAYOUTS = {
  time: { layout: '2006-01-02T15:04:05Z07:00', parts: [...DAY, ...CLOCK, { name: '', form: /^(?:[.,][0-9]+)?/ }, ZONE] },
  microTime: { layout: '2006-01-02T15:04:05.000000Z07:00', parts: [...DAY, ...CLOCK, { name: '.000000', form: /^[.,][0-9]{6}(?![0-9])/ }, ZONE] },
} as const;

/** What the API says of a text that is no time: which part of the layout it does not have. */
export function timeMisfit(text: string, kind: keyof typeof LAYOUTS): string {
  const { layout, parts } = LAYOUTS[kind];
  const shown = JSON.stringify(text);
  let rest = text;
  for (const { name, form, range } of parts as readonly TimePart[]) {
    const [found] = form.exec(rest) ?? [];
    if (found === undefined) return `parsing time ${shown} as ${JSON.stringify(layout)}: cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(name)}`;
    if (range !== undefined && (Number(found) < range[1] || Number(found) > range[2])) return `parsing time ${shown}: ${range[0]} out of range`;
    rest = rest.slice(found.length);
  }
  return rest === '' ? `parsing time ${shown}: day out of range` : `parsing time ${shown}: extra text: ${JSON.stringify(rest)}`;
}

/** Line breaks are counted, though they mean nothing. */
export function base64Misfit(text: string): string {
  const at = text.search(/[^A-Za-z0-9+/\r\n]/);
  const digits = (at === -1 ? text : text.slice(0, at)).replaceAll(/[\r\n]/g, '').length % 4;
  // Padding may begin where two or three of four digits are there, and must then be all that follows.
  if (at === -1) return illegalAt(text.length - digits);
  return illegalAt(text[at] !== '=' || digits < 2 ? at : afterPadding(text, at, 4 - digits));
}

const illegalAt = (position: number): string => `illegal base64 data at input byte ${position}`;

/** A sign that stands where padding should go on is told by the one before it. */
function afterPadding(text: string, at: number, needed: number): number {
  const next = pastBreaks(text, at + 1);
  if (needed === 1 || next === text.length) return next;
  return text[next] === '=' ? pastBreaks(text, next + 1) : next - 1;
}

function pastBreaks(text: string, from: number): number {
  let at = from;
  while (text[at] === '\n' || text[at] === '\r') at++;
  return at;
}
