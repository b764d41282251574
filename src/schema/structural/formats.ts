import { utf8Length } from '#base';

/** Formats of strings that are checked; others say something to readers only. */

type Check = (value: string) => boolean;

/** Longer values are of no format; no pattern below runs over more. */
const MAX_LENGTH = 64 * 1024;

const form =
  (pattern: RegExp, maxLength = 512): Check =>
  (value) =>
    value.length <= maxLength && pattern.test(value);

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATE_TIME = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/u;
const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = new RegExp(`^${OCTET}(?:[.]${OCTET}){3}$`);
/** Octets may begin with zeros, which some read as octal: what was stored before this was known must stay valid. */
const SLOPPY_IPV4 = new RegExp(`^0*${OCTET}(?:[.]0*${OCTET}){3}$`);

function isDate(value: string): boolean {
  const parts = DATE.exec(value);
  if (parts === null) return false;
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}

function isDateTime(value: string): boolean {
  const parts = DATE_TIME.exec(value);
  if (parts === null) return false;
  const [, date = '', hour, minute, second] = parts;
  return isDate(date) && Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
}

/** Eight groups of hexadecimal digits, one run of zeros left out at most, the last two perhaps in decimal. */
function isIpv6(value: string): boolean {
  if (value.length > 45 || !value.includes(':')) return false;
  const tail = value.slice(value.lastIndexOf(':') + 1);
  const plain = tail.includes('.') ? (IPV4.test(tail) ? `${value.slice(0, -tail.length)}0:0` : 'x') : value;
  const halves = plain.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  return groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group)) && (halves.length === 2 ? groups.length < 8 : groups.length === 8);
}

function isCidr(value: string): boolean {
  const [address = '', bits = '', ...rest] = value.split('/');
  if (rest.length > 0 || !/^\d+$/.test(bits)) return false;
  return SLOPPY_IPV4.test(address) ? Number(bits) <= 32 : isIpv6(address) && Number(bits) <= 128;
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

/** A URI as requests name one: with a scheme, or a path from the root. */
function isUri(value: string): boolean {
  if (/[\u0000-\u001f\u007f]/.test(value) || /%(?![0-9A-Fa-f]{2})/.test(value.split('?', 1)[0] ?? '')) return false;
  const [, scheme = '', rest = ''] = /^([A-Za-z][A-Za-z0-9+.-]*:)?(.*)$/.exec(value) ?? [];
  if (!rest.startsWith('/')) return value === '*' || scheme !== '';
  if (!rest.startsWith('//') || (scheme === '' && rest.startsWith('///'))) return true;
  const [authority = ''] = rest.slice(2).split(/[/?]/, 1);
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  return /^(?:\[[^\]]*\]|[^\s<>"[\]^`{|}\\:]*)(?::\d*)?$/.test(host);
}

function isIsbn10(value: string): boolean {
  const digits = value.replaceAll(/[\s-]/g, '');
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = [...digits].reduce((total, digit, at) => total + (10 - at) * (digit === 'X' ? 10 : Number(digit)), 0);
  return sum % 11 === 0;
}

function isIsbn13(value: string): boolean {
  const digits = value.replaceAll(/[\s-]/g, '');
  if (!/^\d{13}$/.test(digits)) return false;
  return [...digits].reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 1 : 3), 0) % 10 === 0;
}

function isCreditCard(value: string): boolean {
  const digits = value.replaceAll(/\D/g, '');
  if (digits.length < 12 || digits.length > 19) return false;
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const double = Number(digit) * (at % 2 === 0 ? 1 : 2);
    return total + (double > 9 ? double - 9 : double);
  }, 0);
  return sum % 10 === 0;
}

const COLOR = '(?:0|[1-9]\\d?|1\\d\\d|2[0-4]\\d|25[0-5])';
const DURATION = /^[+-]?(?:0|(?:(?:\d+[.]?\d*|[.]\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const AMOUNT = /\d+\s*([A-Za-zµ]+)/g;
const UNIT = /^(?:ns|us|µs|ms|s|m|h|hr|d|w|wk|(?:nano|micro|milli|sec|min|hour|day|week).*)$/i;

/** As programs write it, or with an amount of a unit somewhere in it, as people do. */
const isDuration = (value: string): boolean => DURATION.test(value) || [...value.matchAll(AMOUNT)].some(([, unit = '']) => UNIT.test(unit));
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Names without dashes: `date-time` and `datetime` are the same. */
const FORMATS: ReadonlyMap<string, Check> = new Map(
  Object.entries({
    bsonobjectid: form(/^[0-9a-fA-F]{24}$/),
    uri: isUri,
    email: form(/^[^\s@<>()[\],;:\\"]+@[^\s@<>()[\],;:\\"]+$/),
    hostname: isHostname,
    ipv4: (value) => SLOPPY_IPV4.test(value) || (value.includes('.') && isIpv6(value)),
    ipv6: isIpv6,
    cidr: isCidr,
    mac: form(/^(?:[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5}|(?:[0-9A-Fa-f]{2}[:-]){7}[0-9A-Fa-f]{2}|(?:[0-9A-Fa-f]{4}[.]){2,3}[0-9A-Fa-f]{4})$/),
    uuid: isUuid('', ''),
    uuid3: isUuid('3', ''),
    uuid4: isUuid('4', '89ab'),
    uuid5: isUuid('5', '89ab'),
    isbn: (value) => isIsbn10(value) || isIsbn13(value),
    isbn10: isIsbn10,
    isbn13: isIsbn13,
    creditcard: isCreditCard,
    ssn: form(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/),
    hexcolor: form(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
    rgbcolor: form(new RegExp(`^rgb\\(\\s*${COLOR}\\s*,\\s*${COLOR}\\s*,\\s*${COLOR}\\s*\\)$`)),
    byte: (value) => value !== '' && value.length % 4 === 0 && BASE64.test(value),
    password: () => true,
    date: isDate,
    duration: (value) => value.length <= 128 && isDuration(value),
    datetime: isDateTime,
  } satisfies Record<string, Check>),
);

const checkOf = (format: string): Check | undefined => FORMATS.get(format.replaceAll('-', ''));

/** Whether strings are checked for a format. */
export const isKnownFormat = (format: string): boolean => checkOf(format) !== undefined;

/** Whether a string is of a format; formats that nobody knows take every string. */
export function isOfFormat(format: string, value: string): boolean {
  const check = checkOf(format);
  return check === undefined || ((format === 'byte' || value.length <= MAX_LENGTH) && check(value));
}
