/** Error messages for texts that are no quantity, time or base64, as kube-apiserver words them. */

const QUANTITY = '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$';
/** The form that is checked before the suffix: stricter than the expression in the message. */
const QUANTITY_FORM = /^(?=.)[+-]?[0-9]*(?:\.[0-9]*)?(?:(?:[eEinumkKMGTP]+[-+]?|[-+])[0-9]*)?$/;

/** A suffix that is right, with no number before it. */
const WITHOUT_DIGITS = /^[+-]?\.?(?:[PE]i|[eE]-[0-9]+)$/;

/** The message for a value that is no quantity. */
export function quantityMisfit(value: unknown): string {
  const text = typeof value === 'string' ? value.trim() : '';
  if (WITHOUT_DIGITS.test(text)) return 'unable to parse numeric part of quantity';
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
  { name: '15', form: /^[0-9]{1,2}/, range: ['hour', 0, 23] },
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

/** Days that there are, but perhaps not in UTC. */
const YEARS_END = /^(?:0000-01-01|9999-12-31)/;

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
  const part = YEARS_END.test(text) ? 'year' : 'day';
  return rest === '' ? `parsing time ${shown}: ${part} out of range` : `parsing time ${shown}: extra text: ${JSON.stringify(rest)}`;
}

/** The message for invalid base64, with an offset that counts ignored line breaks. */
export function base64Misfit(text: string): string {
  const at = text.search(/[^A-Za-z0-9+/\r\n]/);
  const digits = (at === -1 ? text : text.slice(0, at)).replaceAll(/[\r\n]/g, '').length % 4;
  // Padding may begin after two or three of four digits, and only padding may follow.
  if (at === -1) return illegalAt(text.length - digits);
  return illegalAt(text[at] !== '=' || digits < 2 ? at : afterPadding(text, at, 4 - digits));
}

const illegalAt = (position: number): string => `illegal base64 data at input byte ${position}`;

/** Where padding is incomplete, the character before the unexpected one is reported. */
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
