/**
 * What names, labels, ports and the like must look like. Pure checks of one text each.
 *
 * Every check returns what is wrong, one message per fault, or undefined when nothing is:
 *
 *     report(at.child('name'), name, checkDnsLabel(name));
 * @spec 2.2
 */
import { isLongerThan } from '#base';
import type { FieldErrors } from '#errors';

/** What is wrong with a value; undefined: nothing. */
export type Faults = readonly string[] | undefined;

/** Adds one `invalid` cause per fault. Returns whether there was none. */
export function report(at: FieldErrors, value: unknown, faults: Faults): boolean {
  for (const fault of faults ?? []) at.invalid(value, fault);
  return faults === undefined;
}

/** As `report`, but all that is wrong with a value is one cause. */
export function reportAsOne(at: FieldErrors, value: unknown, faults: Faults): void {
  if (faults !== undefined) at.invalid(value, faults.join('; '));
}

interface Rule {
  readonly form: RegExp;
  /** Bytes in UTF-8, although the sentences speak of characters: a text may be too long by what it must not hold. */
  readonly maxLength: number;
  readonly why: string;
}

const DNS_LABEL = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${DNS_LABEL}(?:\\.${DNS_LABEL})*`;
const LABEL_LIKE = '[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?';

const MAX_LABEL = 63;
const MAX_SUBDOMAIN = 253;

/** A rule in the words that clients of the API know, to the letter: tools look for these sentences. */
function inWords(why: string, pattern: string, ...examples: readonly string[]): string {
  return `${why} (e.g. ${examples.map((one) => `'${one}'`).join(',  or ')}, regex used for validation is '${pattern}')`;
}

/** Patterns as the sentences show them. */
const SHOWN = {
  label: '[a-z0-9]([-a-z0-9]*[a-z0-9])?',
  label1035: '[a-z]([-a-z0-9]*[a-z0-9])?',
  subdomain: String.raw`[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*`,
  name: '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]',
} as const;

const AT_BOTH_ENDS = 'and must start and end with an alphanumeric character';
const NAME_WORDS = `must consist of alphanumeric characters, '-', '_' or '.', ${AT_BOTH_ENDS}`;
const NAME_EXAMPLES = ['MyName', 'my.name', '123-abc'] as const;

const RULES = {
  dnsLabel: {
    form: new RegExp(`^${DNS_LABEL}$`),
    maxLength: MAX_LABEL,
    why: inWords(`a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ${AT_BOTH_ENDS}`, SHOWN.label, 'my-name', '123-abc'),
  },
  dns1035Label: {
    form: /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/,
    maxLength: MAX_LABEL,
    why: inWords(
      `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character`,
      SHOWN.label1035,
      'my-name',
      'abc-123',
    ),
  },
  dnsSubdomain: {
    form: new RegExp(`^${SUBDOMAIN}$`),
    maxLength: MAX_SUBDOMAIN,
    why: inWords(`a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', ${AT_BOTH_ENDS}`, SHOWN.subdomain, 'example.com'),
  },
  wildcardSubdomain: {
    form: new RegExp(`^\\*\\.${SUBDOMAIN}$`),
    maxLength: MAX_SUBDOMAIN,
    why: inWords(
      `a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, ` +
        `'-' or '.' and end with an alphanumeric character`,
      String.raw`\*\.${SHOWN.subdomain}`,
      '*.example.com',
    ),
  },
  labelValue: {
    form: new RegExp(`^(?:${LABEL_LIKE})?$`),
    maxLength: MAX_LABEL,
    why: inWords(
      `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', ${AT_BOTH_ENDS}`,
      '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?',
      'MyValue',
      'my_value',
      '12345',
    ),
  },
  qualifiedNamePart: { form: new RegExp(`^${LABEL_LIKE}$`), maxLength: MAX_LABEL, why: inWords(NAME_WORDS, SHOWN.name, ...NAME_EXAMPLES) },
  envVarName: {
    form: /^[-._a-zA-Z][-._a-zA-Z0-9]*$/,
    maxLength: Infinity,
    why: inWords(
      `a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit`,
      '[-._a-zA-Z][-._a-zA-Z0-9]*',
      'my.env-name',
      'MY_ENV.NAME',
      'MyEnvName1',
    ),
  },
  configMapKey: {
    form: /^[-._a-zA-Z0-9]+$/,
    maxLength: MAX_SUBDOMAIN,
    why: inWords(`a valid config key must consist of alphanumeric characters, '-', '_' or '.'`, '[-._a-zA-Z0-9]+', 'key.name', 'KEY_NAME', 'key-name'),
  },
  httpHeaderName: {
    form: /^[-A-Za-z0-9]+$/,
    maxLength: Infinity,
    why: inWords(`a valid HTTP header must consist of alphanumeric characters or '-'`, '[-A-Za-z0-9]+', 'X-Header-Name'),
  },
  conditionReason: {
    form: /^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/,
    maxLength: Infinity,
    why: inWords(
      `a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', ` +
        `and must end with an alphanumeric character or '_'`,
      '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?',
      'my_name',
      'MY_NAME',
      'MyName',
      'ReasonA,ReasonB',
      'ReasonA:ReasonB',
    ),
  },
  percent: {
    form: /^[0-9]+%$/,
    maxLength: Infinity,
    why: inWords(`a valid percent string must be a numeric string followed by an ending '%'`, '[0-9]+%', '1%', '93%'),
  },
} as const satisfies Readonly<Record<string, Rule>>;

/** Bounds the text that patterns run over. */
const MAX_MATCHED = 4_096;

function apply(rule: Rule, value: string): Faults {
  const fits = value.length > MAX_MATCHED ? value.length > rule.maxLength || rule.form.test(value) : rule.form.test(value);
  if (!isLongerThan(value, rule.maxLength)) return fits ? undefined : [rule.why];
  return fits ? [tooLong(rule.maxLength)] : [tooLong(rule.maxLength), rule.why];
}

const tooLong = (max: number): string => `must be no more than ${max} characters`;

const join = (...faults: readonly Faults[]): Faults => {
  const all = faults.flatMap((one) => one ?? []);
  return all.length === 0 ? undefined : all;
};

/** RFC 1123 label, at most 63 characters. */
export const checkDnsLabel = (value: string): Faults => apply(RULES.dnsLabel, value);

/** RFC 1035 label, at most 63 characters. */
export const checkDns1035Label = (value: string): Faults => apply(RULES.dns1035Label, value);

/** RFC 1123 subdomain, at most 253 characters. */
export const checkDnsSubdomain = (value: string): Faults => apply(RULES.dnsSubdomain, value);

/** A name that begins with the prefix: what a prefix is checked as. It may end with a dash, unlike a name. */
export const nameBeginning = (prefix: string): string => (prefix.length > 1 && prefix.endsWith('-') ? `${prefix.slice(0, -2)}a` : prefix);

/** `*.` and an RFC 1123 subdomain. */
export const checkWildcardSubdomain = (value: string): Faults => apply(RULES.wildcardSubdomain, value);

/** The value of a label: empty, or at most 63 characters. */
export const checkLabelValue = (value: string): Faults => apply(RULES.labelValue, value);

/** A label key, an annotation key, a finalizer: `name` or `prefix/name`, where the prefix is a DNS subdomain. */
export function checkQualifiedName(value: string): Faults {
  const parts = value.split('/', 3);
  if (parts.length === 1) return checkQualifiedPart(value);
  if (parts.length === 3) return [`a qualified name ${RULES.qualifiedNamePart.why} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const [prefix = '', name = ''] = parts;
  const prefixFaults = prefix === '' ? ['prefix part must be non-empty'] : checkDnsSubdomain(prefix)?.map((why) => `prefix part ${why}`);
  return join(prefixFaults, checkQualifiedPart(name));
}

/** An empty name has two errors, as clients expect. */
function checkQualifiedPart(name: string): Faults {
  const faults = name === '' ? ['must be non-empty', RULES.qualifiedNamePart.why] : apply(RULES.qualifiedNamePart, name);
  return faults?.map((why) => `name part ${why}`);
}

/** A domain of at least three labels, as group-qualified names have. */
export function checkFullyQualifiedName(value: string): Faults {
  const faults = checkDnsSubdomain(value);
  if (faults !== undefined) return [faults.join(',')];
  return value.split('.').length < 3 ? ['should be a domain with at least three segments separated by dots'] : undefined;
}

const URL_PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const URL_PATH_FORM = new RegExp(`^${URL_PATH}$`);

/** A DNS subdomain, `/` and a path. What is wrong with either is said of that part alone. */
export function validateDomainPrefixedPath(value: string, at: FieldErrors): void {
  const slash = value.indexOf('/');
  const [domain, path] = [value.slice(0, Math.max(slash, 0)), value.slice(slash + 1)];
  if (domain === '' || path === '') {
    at.invalid(value, 'must be a domain-prefixed path (such as "acme.io/foo")');
    return;
  }
  report(at, domain, checkDnsSubdomain(domain));
  if (!URL_PATH_FORM.test(path)) at.invalid(path, `Invalid path (regex used for validation is '${URL_PATH}')`);
}

/** Checks a path segment. */
export function checkPathSegment(value: string): Faults {
  return value === '.' || value === '..' ? [`may not be '${value}'`] : checkPathSegmentPrefix(value);
}

/** As `checkPathSegment`, for the beginning of a name. */
export function checkPathSegmentPrefix(value: string): Faults {
  const bad = ['/', '%'].filter((mark) => value.includes(mark));
  return bad.length === 0 ? undefined : bad.map((mark) => `may not contain '${mark}'`);
}

/** A port name, also known as IANA service name: at most 15 of a-z, 0-9 and '-', with a letter, without `--` or '-' at an end. */
export function checkPortName(value: string): Faults {
  const faults = [
    ...(isLongerThan(value, 15) ? [tooLong(15)] : []),
    ...(/^[-a-z0-9]+$/.test(value) ? [] : ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)']),
    ...(/[a-z]/.test(value) ? [] : ['must contain at least one letter or number (a-z, 0-9)']),
    ...(value.includes('--') ? ['must not contain consecutive hyphens'] : []),
    ...(value.startsWith('-') || value.endsWith('-') ? ['must not begin or end with a hyphen'] : []),
  ];
  return faults.length === 0 ? undefined : faults;
}

/** An integer between two bounds, both included. */
export function checkRange(value: number | bigint, min: number, max: number): Faults {
  return value >= min && value <= max ? undefined : [`must be between ${min} and ${max}, inclusive`];
}

export const checkPortNumber = (value: number): Faults => checkRange(value, 1, 65_535);

/** User and group ids: 0 to 2^31-1. */
export const checkUnixId = (value: number | bigint): Faults => checkRange(value, 0, 2_147_483_647);

/** A number from 0 on. */
export function checkNotNegative(value: number | bigint): Faults {
  return value < 0 ? ['must be greater than or equal to 0'] : undefined;
}

/** Rejects keys that would escape the directory they are written to. */
function checkFolderEscape(value: string): Faults {
  if (value === '.' || value === '..') return [`must not be '${value}'`];
  return value.startsWith('..') ? [`must not start with '..'`] : undefined;
}

/** The name of an environment variable of a container. */
export const checkEnvVarName = (value: string): Faults => join(apply(RULES.envVarName, value), checkFolderEscape(value));

/** A key of a ConfigMap or Secret; usable as a file name. */
export const checkConfigMapKey = (value: string): Faults => join(apply(RULES.configMapKey, value), checkFolderEscape(value));

/** The name of an HTTP header, as probes may send it. */
export const checkHttpHeaderName = (value: string): Faults => apply(RULES.httpHeaderName, value);

/** Why a condition is as it is, in one word; of any length. */
export const checkConditionReason = (value: string): Faults => apply(RULES.conditionReason, value);

/** Digits and `%`. */
export const checkPercent = (value: string): Faults => apply(RULES.percent, value);
