/**
 * What names, labels, ports and the like must look like. Pure checks of one text each.
 *
 * Every check returns what is wrong, one message per fault, or undefined when nothing is:
 *
 *     report(at.child('name'), name, checkDnsLabel(name));
 * @spec 2.2
 */
import type { FieldErrors } from '#errors';

/** What is wrong with a value; undefined: nothing. */
export type Faults = readonly string[] | undefined;

/** Adds one `invalid` cause per fault. Returns whether there was none. */
export function report(at: FieldErrors, value: unknown, faults: Faults): boolean {
  for (const fault of faults ?? []) at.invalid(value, fault);
  return faults === undefined;
}

interface Rule {
  readonly form: RegExp;
  readonly maxLength: number;
  readonly why: string;
}

const DNS_LABEL = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${DNS_LABEL}(?:\\.${DNS_LABEL})*`;
const LABEL_LIKE = '[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?';

const MAX_LABEL = 63;
const MAX_SUBDOMAIN = 253;

/** What clients of the API read where a label does not fit, to the letter: tools look for these sentences. */
const LABEL_VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
  "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const NAME_PART =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or " +
  "'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

const RULES = {
  dnsLabel: {
    form: new RegExp(`^${DNS_LABEL}$`),
    maxLength: MAX_LABEL,
    why: `a lowercase RFC 1123 label has only a-z, 0-9 and '-', and starts and ends with a letter or digit (as in 'my-name' or '123-abc')`,
  },
  dns1035Label: {
    form: /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/,
    maxLength: MAX_LABEL,
    why: `an RFC 1035 label has only a-z, 0-9 and '-', starts with a letter and ends with a letter or digit (as in 'my-name' or 'abc-123')`,
  },
  dnsSubdomain: {
    form: new RegExp(`^${SUBDOMAIN}$`),
    maxLength: MAX_SUBDOMAIN,
    why: `a lowercase RFC 1123 subdomain is labels of a-z, 0-9 and '-' joined by '.', with a letter or digit at both ends of each`,
  },
  wildcardSubdomain: {
    form: new RegExp(`^\\*\\.${SUBDOMAIN}$`),
    maxLength: MAX_SUBDOMAIN,
    why: `a wildcard is '*.' and a lowercase RFC 1123 subdomain (as in '*.example.com')`,
  },
  labelValue: {
    form: new RegExp(`^(?:${LABEL_LIKE})?$`),
    maxLength: MAX_LABEL,
    why: LABEL_VALUE,
  },
  qualifiedNamePart: {
    form: new RegExp(`^${LABEL_LIKE}$`),
    maxLength: MAX_LABEL,
    why: `name part ${NAME_PART}`,
  },
  envVarName: {
    form: /^[-._a-zA-Z][-._a-zA-Z0-9]*$/,
    maxLength: Infinity,
    why: `the name of a variable has only letters, digits, '_', '-' and '.', and does not start with a digit (as in 'MY_NAME')`,
  },
  configMapKey: {
    form: /^[-._a-zA-Z0-9]+$/,
    maxLength: MAX_SUBDOMAIN,
    why: `a key has only letters, digits, '-', '_' and '.' (as in 'key.name' or 'KEY_NAME')`,
  },
  identifier: {
    form: /^[A-Za-z_][A-Za-z0-9_]*$/,
    maxLength: Infinity,
    why: `an identifier has only letters, digits and '_', and does not start with a digit (as in 'my_name')`,
  },
  httpHeaderName: {
    form: /^[-A-Za-z0-9]+$/,
    maxLength: Infinity,
    why: `the name of an HTTP header has only letters, digits and '-' (as in 'X-Header-Name')`,
  },
  percent: { form: /^[0-9]+%$/, maxLength: Infinity, why: `a percentage is digits and '%' (as in '93%')` },
} as const satisfies Readonly<Record<string, Rule>>;

/** The length is looked at first, so that no pattern ever runs over a long text. */
function apply(rule: Rule, value: string): Faults {
  if (value.length > rule.maxLength) return [`must have at most ${rule.maxLength} characters`];
  return rule.form.test(value) ? undefined : [value === '' ? `must not be empty: ${rule.why}` : rule.why];
}

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

/** `*.` and an RFC 1123 subdomain. */
export const checkWildcardSubdomain = (value: string): Faults => apply(RULES.wildcardSubdomain, value);

export const checkLabelValue = (value: string): Faults => apply(RULES.labelValue, value);

/** A label key, an annotation key, a finalizer: `name` or `prefix/name`, where the prefix is a DNS subdomain. */
export function checkQualifiedName(value: string): Faults {
  const parts = value.split('/', 3);
  if (parts.length === 1) return checkQualifiedPart(value);
  if (parts.length === 3) return [`a qualified name ${NAME_PART} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const [prefix = '', name = ''] = parts;
  const prefixFaults =
    prefix === '' ? ['the part before the slash must not be empty'] : checkDnsSubdomain(prefix)?.map((why) => `prefix part: ${why}`);
  return join(prefixFaults, checkQualifiedPart(name));
}

/** A name that is not there has two faults: clients count them. */
function checkQualifiedPart(name: string): Faults {
  return name === '' ? ['name part must be non-empty', RULES.qualifiedNamePart.why] : apply(RULES.qualifiedNamePart, name);
}

/** A domain of at least three labels, as group-qualified names have. */
export function checkFullyQualifiedName(value: string): Faults {
  const faults = checkDnsSubdomain(value);
  if (faults !== undefined) return faults;
  return value.split('.').length < 3 ? ['must be a domain of at least three parts joined by dots'] : undefined;
}

/** A DNS subdomain, `/` and a path. */
export function checkDomainPrefixedPath(value: string): Faults {
  const slash = value.indexOf('/');
  if (slash <= 0 || slash === value.length - 1) return [`must be a domain, '/' and a path (as in 'example.com/my-path')`];
  const path = value.slice(slash + 1);
  const pathFaults = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(path) ? undefined : ['the path has characters that a URL path must not have'];
  return join(checkDnsSubdomain(value.slice(0, slash)), pathFaults);
}

/** Anything that can stand between two slashes of a path. */
export function checkPathSegment(value: string): Faults {
  if (value === '.' || value === '..') return [`must not be '${value}'`];
  const bad = ['/', '%'].filter((mark) => value.includes(mark));
  return bad.length === 0 ? undefined : bad.map((mark) => `must not contain '${mark}'`);
}

/** As `checkPathSegment`, for the beginning of a name. */
export function checkPathSegmentPrefix(value: string): Faults {
  const bad = ['/', '%'].filter((mark) => value.includes(mark));
  return bad.length === 0 ? undefined : bad.map((mark) => `must not contain '${mark}'`);
}

/** A port name, also known as IANA service name: at most 15 of a-z, 0-9 and '-', with a letter, without `--` or '-' at an end. */
export function checkPortName(value: string): Faults {
  if (value.length > 15) return ['must have at most 15 characters'];
  const faults = [
    ...(/^[-a-z0-9]+$/.test(value) ? [] : [`must have only a-z, 0-9 and '-'`]),
    ...(/[a-z]/.test(value) ? [] : ['must have at least one letter (a-z)']),
    ...(value.includes('--') ? [`must not have two '-' in a row`] : []),
    ...(value.startsWith('-') || value.endsWith('-') ? [`must not start or end with '-'`] : []),
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

export function checkNotNegative(value: number | bigint): Faults {
  return value < 0 ? ['must be greater than or equal to 0'] : undefined;
}

/** Keys that would climb out of a folder they are written to. */
function checkFolderEscape(value: string): Faults {
  if (value === '.' || value === '..') return [`must not be '${value}'`];
  return value.startsWith('..') ? [`must not start with '..'`] : undefined;
}

export const checkEnvVarName = (value: string): Faults => join(apply(RULES.envVarName, value), checkFolderEscape(value));

/** A key of a ConfigMap or Secret; usable as a file name. */
export const checkConfigMapKey = (value: string): Faults => join(apply(RULES.configMapKey, value), checkFolderEscape(value));

/** An identifier as in C. */
export const checkIdentifier = (value: string): Faults => apply(RULES.identifier, value);

export const checkHttpHeaderName = (value: string): Faults => apply(RULES.httpHeaderName, value);

/** Digits and `%`. */
export const checkPercent = (value: string): Faults => apply(RULES.percent, value);
