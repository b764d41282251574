/** Formats of strings that are checked; others say something to readers only. */

type Check = (value: string) => boolean;

/** Longer values are of no format; no pattern below runs over more. */
const MAX_LENGTH = 64 * 1024;

const form =
  (pattern: RegExp, maxLength = 512): Check =>
  (value) =>
    value.length <= maxLength && pattern.test(value);

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATE_TIME = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:[.]\d{1,9})?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;
const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = new RegExp(`^${OCTET}(?:[.]${OCTET}){3}$`);
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';

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
  if (rest.length > 0 || !/^(?:0|[1-9]\d{0,2})$/.test(bits)) return false;
  return IPV4.test(address) ? Number(bits) <= 32 : isIpv6(address) && Number(bits) <= 128;
}

const HOSTNAME = new RegExp(`^${LABEL}(?:[.]${LABEL})*[.]?$`);
const UUID_FORM = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

const isUuid =
  (version: string, variant: string): Check =>
  (value) => {
    const digits = value.replaceAll('-', '');
    return UUID_FORM.test(value) && (version === '' || digits[12] === version) && (variant === '' || variant.includes((digits[16] ?? '').toLowerCase()));
  };

function isUri(value: string): boolean {
  if (value.startsWith('/')) return !/[\u0000-\u0020\u007f]/.test(value);
  return URL.canParse(value) && /^[A-Za-z][A-Za-z0-9+.-]*:[^\s]/.test(value);
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
const DURATION = /^-?(?:\d+(?:[.]\d*)?(?:ns|us|µs|ms|s|m|h))+$/;
const LONG_DURATION = /^\d+(?:[.]\d+)?\s*(?:ns|us|µs|ms|s|m|h|d|w|(?:nano|micro|milli)?(?:sec(?:ond)?s?)|min(?:ute)?s?|hours?|hrs?|days?|weeks?)$/i;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Names without dashes: `date-time` and `datetime` are the same. */
const FORMATS: ReadonlyMap<string, Check> = new Map(
  Object.entries({
    bsonobjectid: form(/^[0-9a-fA-F]{24}$/),
    uri: isUri,
    email: form(/^[^\s@<>()[\],;:\\"]+@[^\s@<>()[\],;:\\"]+$/),
    hostname: form(HOSTNAME, 255),
    ipv4: form(IPV4),
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
    byte: (value) => value.length % 4 === 0 && BASE64.test(value),
    password: () => true,
    date: isDate,
    duration: (value) => value.length <= 128 && (DURATION.test(value) || LONG_DURATION.test(value)),
    datetime: isDateTime,
  } satisfies Record<string, Check>),
);

/** Whether a string is of a format; formats that nobody knows take every string. */
export function isOfFormat(format: string, value: string): boolean {
  const name = format.replaceAll('-', '');
  const check = FORMATS.get(name);
  return check === undefined || ((name === 'byte' || value.length <= MAX_LENGTH) && check(value));
}
