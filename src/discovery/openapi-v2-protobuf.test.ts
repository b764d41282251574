import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { brandOf, createCatalog, DIALECTS } from '#api';
import { allKinds } from '#kinds';
import type { OpenapiSchema } from '#schema';
import { encodeOpenapiV2 } from './openapi-v2-protobuf.ts';
import type { OpenapiV2 } from './openapi-v2.ts';
import { createOpenapi } from './openapi.ts';

type Value = number | Buffer;
type Read = (value: Value) => unknown;
type Members = Readonly<Record<string, unknown>>;

/** Reads protobuf without a schema: field number → values, in order. */
function fieldsOf(bytes: Buffer): Map<number, Value[]> {
  const fields = new Map<number, Value[]>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++]!;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const wire = tag & 7;
    const length = wire === 1 ? 8 : varint();
    assert.ok(wire <= 2, `wire type ${wire}`);
    fields.set(tag >>> 3, [...(fields.get(tag >>> 3) ?? []), wire === 0 ? length : bytes.subarray(at, (at += length))]);
  }
  return fields;
}

type Member = readonly [name: string, readAll: (values: readonly Value[]) => unknown];
const one = (name: string, read: Read): Member => [name, (values) => read(values[0]!)];
const many = (name: string, read: Read): Member => [name, (values) => values.map(read)];

/** A message of which every field is known by its number. */
const message = (members: Readonly<Record<number, Member>>) => (value: Value): Members =>
  Object.fromEntries(
    [...fieldsOf(value as Buffer)].map(([no, values]) => {
      const [name, readAll] = members[no] ?? assert.fail(`unknown field ${no}`);
      return [name, readAll(values)];
    }),
  );

const text: Read = String;
const flag: Read = (value) => value === 1;
const whole: Read = (value) => value;
const double: Read = (value) => (value as Buffer).readDoubleLE();
/** What stands in the only field of a message, whichever that is. */
const inside = (members: Readonly<Record<number, Read>>): Read => {
  const read = message(Object.fromEntries(Object.entries(members).map(([no, inner]) => [no, one('value', inner)])));
  return (value) => read(value)['value'];
};
const listInside = (item: Read): Read => (value) => message({ 1: many('items', item) })(value)['items'] ?? [];
const any: Read = (value) => JSON.parse(String(message({ 2: one('yaml', text) })(value)['yaml']));
const pairs = (values: readonly Members[]): Members => Object.fromEntries(values.map(({ name, value }) => [name, value]));
const pair = (read: Read): ((value: Value) => Members) => message({ 1: one('name', text), 2: one('value', read) });
const namedIn = (no: number, read: Read): Read => (value) => pairs((message({ [no]: many('all', pair(read)) })(value)['all'] ?? []) as Members[]);
/** A message whose member `extensions` stands beside the others in JSON. */
const extended = (read: (value: Value) => Members): Read => (value) => {
  const { extensions = [], ...members } = read(value);
  return { ...members, ...pairs(extensions as Members[]) };
};

/** The numbers are those of the published form. */
const schema: Read = extended((value) =>
  message({
    1: one('$ref', text),
    2: one('format', text),
    3: one('title', text),
    4: one('description', text),
    6: one('multipleOf', double),
    7: one('maximum', double),
    8: one('exclusiveMaximum', flag),
    9: one('minimum', double),
    10: one('exclusiveMinimum', flag),
    11: one('maxLength', whole),
    12: one('minLength', whole),
    13: one('pattern', text),
    14: one('maxItems', whole),
    15: one('minItems', whole),
    16: one('uniqueItems', flag),
    17: one('maxProperties', whole),
    18: one('minProperties', whole),
    19: many('required', text),
    20: many('enum', any),
    21: one('additionalProperties', inside({ 1: schema, 2: flag })),
    22: one('type', inside({ 1: text })),
    23: one('items', inside({ 1: schema })),
    25: one('properties', namedIn(1, schema)),
    31: many('extensions', pair(any)),
  })(value),
);
const body = message({ 1: one('description', text), 2: one('name', text), 3: one('in', text), 4: one('required', flag), 5: one('schema', schema) });
const query = message({ 2: one('in', text), 3: one('description', text), 4: one('name', text), 6: one('type', text), 20: one('uniqueItems', flag) });
const path = message({ 1: one('required', flag), 2: one('in', text), 3: one('description', text), 4: one('name', text), 5: one('type', text), 19: one('uniqueItems', flag) });
const parameter = inside({ 1: inside({ 1: body, 2: inside({ 3: query, 4: path }) }) });
const answer = inside({ 1: message({ 1: one('description', text), 2: one('schema', inside({ 1: schema })) }) });
const operation = extended(
  message({
    1: many('tags', text),
    3: one('description', text),
    5: one('operationId', text),
    6: many('produces', text),
    7: many('consumes', text),
    8: many('parameters', parameter),
    9: one('responses', namedIn(1, answer)),
    10: many('schemes', text),
    13: many('extensions', pair(any)),
  }),
);
const METHODS = { 2: 'get', 3: 'put', 4: 'post', 5: 'delete', 6: 'options', 7: 'head', 8: 'patch' };
const item = message({ ...Object.fromEntries(Object.entries(METHODS).map(([no, method]) => [no, one(method, operation)])), 9: many('parameters', parameter) });
const apiKey = message({ 1: one('type', text), 2: one('name', text), 3: one('in', text), 4: one('description', text) });
const document = message({
  1: one('swagger', text),
  2: one('info', message({ 1: one('title', text), 2: one('version', text) })),
  8: one('paths', namedIn(2, item)),
  9: one('definitions', namedIn(1, schema)),
  12: many('security', namedIn(1, listInside(text))),
  13: one('securityDefinitions', namedIn(1, inside({ 2: apiKey }))),
});

const readBack = async (from: OpenapiV2): Promise<Members> => document(Buffer.from(await encodeOpenapiV2(from)));

for (const dialect of DIALECTS) {
  test(`R4.3-26 the protobuf form says all that the JSON form says, and in its order (${dialect})`, async () => {
    const openapi = createOpenapi(createCatalog(allKinds, brandOf(dialect)), { describe: (message, member) => `${message} ${member ?? ''}` });
    const [told, read] = await Promise.all(
      ['application/json', 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'].map(async (accept) => {
        const reply = (await openapi({ info: { path: '/openapi/v2' }, headers: new Map([['accept', [accept]]]) })) as { readonly body: Uint8Array };
        return accept.endsWith('json') ? (JSON.parse(Buffer.from(reply.body).toString()) as Members) : document(Buffer.from(reply.body));
      }),
    );
    assert.deepEqual(read, told);
    for (const part of ['paths', 'definitions'] as const) assert.deepEqual(Object.keys(read?.[part] as Members), Object.keys(told?.[part] as Members));
  });
}

const count = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const bound = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const words = fc.array(fc.string(), { minLength: 1, maxLength: 3 });
const schemasOf = (depth: number): fc.Arbitrary<OpenapiSchema> =>
  fc.record(
    {
      $ref: fc.string(),
      type: fc.constantFrom('string', 'object', 'array', 'integer', 'number', 'boolean'),
      ...{ format: fc.string(), title: fc.string(), description: fc.string(), pattern: fc.string() },
      ...{ multipleOf: bound, maximum: bound, minimum: bound, exclusiveMaximum: fc.boolean(), exclusiveMinimum: fc.boolean(), uniqueItems: fc.boolean() },
      ...{ maxLength: count, minLength: count, maxItems: count, minItems: count, maxProperties: count, minProperties: count },
      required: words,
      enum: fc.array(fc.jsonValue({ maxDepth: 1 }), { minLength: 1, maxLength: 3 }),
      additionalProperties: depth === 0 ? fc.boolean() : fc.oneof(fc.boolean(), schemasOf(depth - 1)),
      ...(depth === 0 ? {} : { items: schemasOf(depth - 1), properties: fc.dictionary(fc.string(), schemasOf(depth - 1), { maxKeys: 2, noNullPrototype: true }) }),
      'x-kubernetes-int-or-string': fc.constant(true),
      'x-kubernetes-list-map-keys': words,
    },
    { requiredKeys: [], noNullPrototype: true },
  ) as fc.Arbitrary<OpenapiSchema>;

test('whatever a schema of custom resources says stands in the protobuf form too', async () => {
  const frame: OpenapiV2 = { swagger: '2.0', info: { title: '', version: '' }, paths: {}, definitions: {}, securityDefinitions: {}, security: [] };
  await fc.assert(
    fc.asyncProperty(schemasOf(2), async (one) => {
      const { definitions } = await readBack({ ...frame, definitions: { one } });
      assert.deepEqual(definitions, JSON.parse(JSON.stringify({ one })));
    }),
    { seed: 1, numRuns: 100 },
  );
});
