import { base64Length, decodeBase64Text, defineKind, encodeBase64Text, type Brand, type ObjectOf, type WellKnownName } from '#api';
import type { FieldErrors } from '#errors';
import { bytesScalar, stringScalar, t } from '#schema';
import { MAX_DATA_BYTES, validateClosed, validateData } from './data-rules.ts';
import { readJson } from '../read-json.ts';

class Body extends t.message(
  'core/v1.Secret',
  {
    immutable: t.maybe.bool(5),
    data: t.map(2, bytesScalar),
    stringData: t.map(4, stringScalar),
    type: t.string(3).default('Opaque'),
  },
  { defaults: takeStringData },
) {}

interface Contents {
  data?: Record<string, string>;
  stringData?: Record<string, string>;
}

/** Merges `stringData` into `data`, whose keys it overrides; it is write-only and never stored. */
function takeStringData(secret: Contents): void {
  const { stringData } = secret;
  if (stringData === undefined) return;
  const texts = Object.entries(stringData).map(([key, text]) => [key, encodeBase64Text(text)] as const);
  // `fromEntries` defines properties: a key may be `__proto__`.
  if (texts.length > 0) secret.data = Object.fromEntries([...Object.entries(secret.data ?? {}), ...texts]);
  delete secret.stringData;
}

export const Secret = defineKind(Body, {
  group: '',
  kind: 'Secret',
  plural: 'secrets',
  scope: 'Namespaced',
  versions: { v1: { schema: Body } },
  storage: 'v1',
  columns: [
    {
      name: 'Type',
      type: 'string',
      description: 'What kind of secret this is: decides which entries it must have.',
      cell: ({ type }) => type ?? '',
    },
    {
      name: 'Data',
      type: 'string',
      description: 'How many entries there are in the data of the secret.',
      cell: ({ data }) => Object.keys(data ?? {}).length,
    },
  ],
  select: ({ type }) => ({ type: type ?? '' }),
  validate(next, live, at, { brand }) {
    if (live !== undefined && next.type !== live.type) at.child('type').invalid(next.type, 'field is immutable');
    validateClosed(next, live, ['data'], at);
    if (validateData(next.data, base64Length, at.child('data')) > MAX_DATA_BYTES) at.child('data').tooLong('', MAX_DATA_BYTES);
    for (const [name, check] of TYPE_RULES) {
      if (next.type === brand.names[name]) check(next, at, brand);
    }
  },
});
export type Secret = ObjectOf<typeof Secret>;

type TypeRule = (secret: Secret, at: FieldErrors, brand: Brand) => void;

/** Required data by type of secret. Other types may hold anything. */
const TYPE_RULES: readonly (readonly [WellKnownName, TypeRule])[] = [
  ['serviceAccountTokenSecret', requireAccountName],
  ['dockercfgSecret', requireJson('.dockercfg')],
  ['dockerConfigJsonSecret', requireJson('.dockerconfigjson')],
  ['basicAuthSecret', requireAnyKey('username', 'password')],
  ['sshAuthSecret', requireContent('ssh-privatekey')],
  ['tlsSecret', requireKeys('tls.crt', 'tls.key')],
];

const dataOf = (secret: Secret, key: string): string | undefined =>
  secret.data !== undefined && Object.hasOwn(secret.data, key) ? secret.data[key] : undefined;

function requireAccountName({ metadata }: Secret, at: FieldErrors, { names }: Brand): void {
  const annotation = names.serviceAccountNameAnnotation;
  if (!metadata.annotations?.[annotation]) at.child('metadata', 'annotations').key(annotation).required();
}

function requireKeys(...keys: readonly string[]): TypeRule {
  return (secret, at) => {
    for (const key of keys) if (dataOf(secret, key) === undefined) at.child('data').key(key).required();
  };
}

/** The path is `data[%s][key]`, as in 1.23, which does not fill in its format string. */
function requireAnyKey(...keys: readonly string[]): TypeRule {
  return (secret, at) => {
    if (keys.some((key) => dataOf(secret, key) !== undefined)) return;
    for (const key of keys) at.child('data').key('%s').key(key).required();
  };
}

function requireContent(key: string): TypeRule {
  return (secret, at) => {
    if (!dataOf(secret, key)) at.child('data').key('%s').key(key).required();
  };
}

function requireJson(key: string): TypeRule {
  return (secret, at) => {
    const value = dataOf(secret, key);
    const here = at.child('data').key(key);
    if (value === undefined) {
      here.required();
      return;
    }
    const read = readJson(decodeBase64Text(value), 'object', 'map[string]interface {}');
    if ('fault' in read) here.invalid('<secret contents redacted>', read.fault);
  };
}
