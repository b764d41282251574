import { utf8Length } from '#base';
import { isMailAddress } from './mail-address.ts';
import { isRequestUri } from './request-uri.ts';

/** Checks of string formats; unknown formats are annotations only. */

type Check = (value: string) => boolean;

/** Longer values match no other format, which bounds the work of the patterns below. */
const MAX_LENGTH = 64 * 1024;
/** Formats of texts that may be as long as an object can be, as content in base64 or in a `data:` URI is. */
const LONG: ReadonlySet<string> = new Set(['byte', 'password', 'uri']);

const form =
  (pattern: RegExp, maxLength = 512): Check =>
  (value) =>
    value.length <= maxLength && pattern.test(value);

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/u;
const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = new RegExp(`^${OCTET}(?:[.]${OCTET}){3}$`);
/** Octets with leading zeros, which some programs read as octal: objects stored before that was known must stay valid. */
const SLOPPY_IPV4 = new RegExp(`^0*${OCTET}(?:[.]0*${OCTET}){3}$`);

function isDate(value: string): boolean {
  const parts = DATE.exec(value);
  if (parts === null) return false;
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}

/** Text after a second `T` is ignored. */
function isDateTime(value: string): boolean {
  const [date = '', time = ''] = value.toLowerCase().split('t', 2);
  const [, hour, minute, second] = TIME.exec(time) ?? [];
  return isDate(date) && Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
}

/** A group of digits may have more zeros before it than there is room for. */
const IPV6_GROUP = /^0*[0-9a-fA-F]{1,4}$/;

/** Eight groups of hexadecimal digits, one run of zeros left out at most, the last two perhaps in decimal of the given form. */
function isIpv6(value: string, decimal: RegExp): boolean {
  const tail = value.slice(value.lastIndexOf(':') + 1);
  const plain = tail.includes('.') ? (decimal.test(tail) ? `${value.slice(0, -tail.length)}0:0` : 'x') : value;
  const halves = plain.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  return groups.every((group) => IPV6_GROUP.test(group)) && (halves.length === 2 ? groups.length < 8 : groups.length === 8);
}

function isCidr(value: string): boolean {
  const [address = '', bits = '', ...rest] = value.split('/');
  if (rest.length > 0 || !/^\d+$/.test(bits)) return false;
  return SLOPPY_IPV4.test(address) ? Number(bits) <= 32 : isIpv6(address, SLOPPY_IPV4) && Number(bits) <= 128;
}

const SIGN = '[a-zA-Z0-9\\p{S}\\p{L}]';
/** One label, which may have a dash after its first character, or labels that end in one of letters alone. */
const HOSTNAME = new RegExp(`^(?:${SIGN}-?${SIGN}{0,62}|(?:${SIGN}(?:[a-zA-Z0-9\\-\\p{S}\\p{L}]{0,61}${SIGN})?[.])+[a-zA-Z\\p{L}]{2,63})$`, 'u');

const isHostname = (value: string): boolean =>
  utf8Length(value) <= 255 && HOSTNAME.test(value) && value.split('.').every((label) => utf8Length(label) <= 63);
const UUID_FORM = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

const isUuid =
  (version: string, variant: string): Check =>
  (value) => {
    const digits = value.replaceAll('-', '');
    return UUID_FORM.test(value) && (version === '' || digits[12] === version) && (variant === '' || variant.includes((digits[16] ?? '').toLowerCase()));
  };

/** White space as Go's patterns know it: of ASCII alone. */
const BLANK = '[\\t\\n\\f\\r ]';
const BETWEEN_DIGITS = new RegExp(`${BLANK}|-`, 'g');

function isIsbn10(value: string): boolean {
  const digits = value.replaceAll(BETWEEN_DIGITS, '');
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = [...digits].reduce((total, digit, at) => total + (10 - at) * (digit === 'X' ? 10 : Number(digit)), 0);
  return sum % 11 === 0;
}

function isIsbn13(value: string): boolean {
  const digits = value.replaceAll(BETWEEN_DIGITS, '');
  if (!/^\d{13}$/.test(digits)) return false;
  return [...digits].reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 1 : 3), 0) % 10 === 0;
}

/** Card numbers by issuer. */
const CARD = /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;

function isCreditCard(value: string): boolean {
  const digits = value.replaceAll(/\D/g, '');
  if (!CARD.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const double = Number(digit) * (at % 2 === 0 ? 1 : 2);
    return total + (double > 9 ? double - 9 : double);
  }, 0);
  return sum % 10 === 0;
}

const COLOR = '(?:0|[1-9]\\d?|1\\d\\d|2[0-4]\\d|25[0-5])';
const DURATION = /^[+-]?(?:0|(?:(?:\d{1,18}(?:[.]\d*)?|[.]\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const AMOUNT = new RegExp(`(\\d+)${BLANK}*([A-Za-zµ]*)`, 'g');
const UNIT = /^(?:ns|us|µs|ms|s|m|h|hr|d|w|wk|(?:nano|micro|milli|sec|min|hour|day|week).*)$/i;
const MAX_AMOUNT = '9223372036854775807';

/** A duration in Go's form, or with amounts and units in words. */
const isDuration = (value: string): boolean => DURATION.test(value) || hasAmounts(value);

function hasAmounts(value: string): boolean {
  const amounts = [...value.matchAll(AMOUNT)].filter(([, , unit = '']) => unit !== '');
  return amounts.every(([, digits = '']) => isCounted(digits)) && amounts.some(([, , unit = '']) => UNIT.test(unit));
}

function isCounted(digits: string): boolean {
  const counted = digits.replace(/^0+/, '');
  return counted.length < MAX_AMOUNT.length || (counted.length === MAX_AMOUNT.length && counted <= MAX_AMOUNT);
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Format names are compared without dashes: `date-time` and `datetime` are the same. */
const FORMATS: ReadonlyMap<string, Check> = new Map(
  Object.entries({
    bsonobjectid: form(/^[0-9a-fA-F]{24}$/),
    uri: isRequestUri,
    email: isMailAddress,
    hostname: isHostname,
    ipv4: (value) => SLOPPY_IPV4.test(value) || (value.includes('.') && isIpv6(value, SLOPPY_IPV4)),
    ipv6: (value) => isIpv6(value, IPV4),
    cidr: isCidr,
    mac: form(/^(?:[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1){4}(?:(?:[0-9a-f]{2}\1){2}|(?:[0-9a-f]{2}\1){14})?[0-9a-f]{2}|(?:[0-9a-f]{4}[.]){2}(?:[0-9a-f]{4}[.]|(?:[0-9a-f]{4}[.]){7})?[0-9a-f]{4})$/i),
    uuid: isUuid('', ''),
    uuid3: isUuid('3', ''),
    uuid4: isUuid('4', '89ab'),
    uuid5: isUuid('5', '89ab'),
    isbn: (value) => isIsbn10(value) || isIsbn13(value),
    isbn10: isIsbn10,
    isbn13: isIsbn13,
    creditcard: isCreditCard,
    ssn: form(/^\d{3}[- ]\d{2}[- ]\d{4}$/),
    hexcolor: form(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
    rgbcolor: form(new RegExp(`^rgb\\(${[COLOR, COLOR, COLOR].map((part) => `${BLANK}*${part}${BLANK}*`).join()}\\)$`)),
    byte: (value) => value !== '' && value.length % 4 === 0 && BASE64.test(value),
    password: () => true,
    date: isDate,
    duration: isDuration,
    datetime: isDateTime,
  } satisfies Record<string, Check>),
);

const plainName = (format: string): string => format.replaceAll('-', '');

/** Whether strings are checked for a format. */
export const isKnownFormat = (format: string): boolean => FORMATS.has(plainName(format));

/** Whether a string matches a format; unknown formats match every string. */
export function isOfFormat(format: string, value: string): boolean {
  const name = plainName(format);
  const check = FORMATS.get(name);
  return check === undefined || ((LONG.has(name) || value.length <= MAX_LENGTH) && check(value));
}
