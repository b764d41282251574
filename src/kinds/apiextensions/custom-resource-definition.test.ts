import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf } from '#api';
import { FieldErrors } from '#errors';
import { write } from '../test-support.ts';
import { CustomResourceDefinition, type CustomResourceDefinition as Definition } from './custom-resource-definition.ts';
import { validateDefinition } from './validate-definition.ts';

const SCHEMA = { type: 'object', properties: { spec: { type: 'object', properties: { s: { type: 'string' } } } } };
const version = (more: object = {}, schema: object = SCHEMA): object => ({ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...more });
const body = (spec: object = {}, metadata: object = {}): object => ({
  metadata: { name: 'foos.example.com', ...metadata },
  spec: { group: 'example.com', scope: 'Namespaced', names: { plural: 'foos', kind: 'Foo' }, versions: [version()], ...spec },
});
const made = (spec: object = {}, metadata: object = {}): ReturnType<typeof write> => write(CustomResourceDefinition, { body: body(spec, metadata) });
const withSchema = (schema: object): readonly string[] => made({ versions: [version({}, schema)] }).causes;
const storedOf = (schema: object): unknown => (made({ versions: [version({}, schema)] }).object as Definition).spec.versions?.[0]?.schema?.openAPIV3Schema;

test('names and conversion have defaults, and the storage version is stored', () => {
  const { object, causes } = made();
  const { spec, status } = object as Definition;
  assert.deepEqual(causes, []);
  assert.deepEqual([spec.names.singular, spec.names.listKind, spec.conversion?.strategy, status.storedVersions], ['foo', 'FooList', 'None', ['v1']]);
});

test('a conversion webhook of which nothing is told is none', () => {
  const kept = (conversion: object): unknown => (made({ conversion }).object as Definition).spec.conversion;
  for (const webhook of [{}, { conversionReviewVersions: null }, { conversionReviewVersions: [] }]) assert.deepEqual(kept({ strategy: 'None', webhook }), { strategy: 'None' });
  const webhook = { clientConfig: { url: 'https://x' }, conversionReviewVersions: ['v1'] };
  assert.deepEqual(kept({ strategy: 'Webhook', webhook }), { strategy: 'Webhook', webhook });
});

const SPECS: readonly (readonly [title: string, spec: object, causes: readonly string[]])[] = [
  ['a group without a dot', { group: 'nodots' }, ['Invalid metadata.name', 'Invalid spec.group']],
  ['another scope', { scope: 'World' }, ['NotSupported spec.scope']],
  ['one name for objects and lists', { names: { plural: 'foos', kind: 'Foo', listKind: 'Foo' } }, ['Invalid spec.names.listKind']],
  ['no version', { versions: [] }, ['Invalid spec.versions', 'Invalid status.storedVersions']],
  ['no storage version', { versions: [version({ storage: false })] }, ['Invalid spec.versions', 'Invalid status.storedVersions']],
  ['a version twice', { versions: [version(), version({ storage: false })] }, ['Invalid spec.versions']],
  ['no schema', { versions: [version({ schema: undefined })] }, ['Required spec.versions[0].schema.openAPIV3Schema']],
  ['a warning without deprecation', { versions: [version({ deprecationWarning: 'x' })] }, ['Invalid spec.versions[0].deprecationWarning']],
  ['a scale outside of the spec', { versions: [version({ subresources: { scale: { specReplicasPath: '.x', statusReplicasPath: '.status.r' } } })] }, ['Invalid spec.subresources.scale.specReplicasPath']],
  ['a column of another type', { versions: [version({ additionalPrinterColumns: [{ name: 'A', type: 'x', jsonPath: '.a' }] })] }, ['Invalid spec.additionalPrinterColumns[0].type']],
  ['a webhook without address', { conversion: { strategy: 'Webhook' } }, ['Required spec.conversion.webhookClientConfig', 'Required spec.conversion.conversionReviewVersions']],
  ['a webhook that speaks nothing we do', { conversion: { strategy: 'Webhook', webhook: { clientConfig: { url: 'https://x' }, conversionReviewVersions: ['v9'] } } }, ['Invalid spec.conversion.conversionReviewVersions']],
  ['a list named as its objects, and a bad short name', { names: { plural: 'foos', kind: 'Foo', listKind: 'Foo', shortNames: ['!'] } }, ['Invalid spec.names.shortNames[0]', 'Invalid spec.names.listKind']],
  [
    'a default that needs pruning, and no schema',
    { preserveUnknownFields: true, versions: [version({}, { type: 'object', properties: { a: { type: 'string', default: 'x' } } }), version({ name: 'v2', storage: false, schema: undefined })] },
    ['Required spec.versions[1].schema.openAPIV3Schema', 'Invalid spec.preserveUnknownFields'],
  ],
  ['unknown fields kept everywhere', { preserveUnknownFields: true }, ['Invalid spec.preserveUnknownFields']],
];
for (const [title, spec, causes] of SPECS) test(`a definition with ${title}`, () => assert.deepEqual(made(spec).causes, causes));

const AT = 'spec.validation.openAPIV3Schema';
const object = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });
const EMBEDDED = { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true };
const MAP = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] };
const SCHEMAS: readonly (readonly [title: string, schema: object, causes: readonly string[]])[] = [
  ['a member without type', object({ a: {} }), [`Required ${AT}.properties[a].type`]],
  ['a list without items', object({ a: { type: 'array' } }), [`Required ${AT}.properties[a].items`]],
  ['types in alternatives', object({ a: { type: 'string', anyOf: [{ type: 'string' }] } }), [`Forbidden ${AT}.properties[a].anyOf[0].type`]],
  ['the one form in which they may be', object({ a: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] } }), []],
  ['what only alternatives know', object({}, { not: { properties: { b: { minLength: 1 } } } }), [`Required ${AT}.properties[b]`]],
  ['a pattern that is none', object({ a: { type: 'string', pattern: '(' } }), [`Invalid ${AT}.properties[a].pattern`]],
  ['unique items', object({ a: { type: 'array', uniqueItems: true, items: { type: 'string' } } }), [`Forbidden ${AT}.properties[a].uniqueItems`]],
  ['a reference', object({ a: { type: 'string', $ref: '#/x' } }), [`Forbidden ${AT}.properties[a].$ref`]],
  ['members and others', object({ a: object({ b: { type: 'string' } }, { additionalProperties: { type: 'string' } }) }), [`Forbidden ${AT}.properties[a].additionalProperties`]],
  ['a default of another type', object({ a: { type: 'integer', default: 'x' } }), [`Invalid ${AT}.properties[a].default`]],
  ['a default with unknown members', object({ a: object({}, { default: { b: 1 } }) }), [`Invalid ${AT}.properties[a].default`]],
  ['a default that says its kind where it is no object of the API', object({ a: object({}, { default: { kind: 'X', metadata: {} } }) }), [`Invalid ${AT}.properties[a].default`]],
  ['no other members in an alternative', object({ a: object({ b: { type: 'string' } }, { anyOf: [{ additionalProperties: false }] }) }), [`Forbidden ${AT}.properties[a].anyOf[0].additionalProperties`]],
  ['an empty default inside an alternative', object({ a: { type: 'string', anyOf: [{ default: '' }] } }), [`Forbidden ${AT}.properties[a].anyOf[0].default`]],
  ['a default inside an alternative', object({ a: { type: 'string', anyOf: [{ default: 'x' }] } }), [`Forbidden ${AT}.properties[a].anyOf[0].default`]],
  ['rules for metadata', object({ metadata: object({ labels: { type: 'object', additionalProperties: { type: 'string' } } }) }), [`Forbidden ${AT}.properties[metadata]`]],
  ['rules for names', object({ metadata: object({ name: { type: 'string', maxLength: 3 } }) }), []],
  ['a map list without keys', object({ a: { type: 'array', 'x-kubernetes-list-type': 'map', items: object({ k: { type: 'string' } }) } }), [`Required ${AT}.properties[a].x-kubernetes-list-map-keys`]],
  [
    'keys that may be absent',
    object({ a: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'], items: object({ k: { type: 'string' } }) } }),
    [`Required ${AT}.properties[a].items.properties[k].default`],
  ],
  ['what alternatives further in alone know', object({ a: object({}, { anyOf: [{ required: ['b'], properties: { b: { minLength: 1 } } }] }) }), []],
  ['documentation of an alternative', object({ a: { type: 'string', anyOf: [{ externalDocs: { url: 'https://x' } }] } }), []],
  ['a default among additional members', object({ a: { type: 'object', additionalProperties: { type: 'integer', default: 'x' } } }), []],
  ['a default without what is required', object({ a: object({ b: { type: 'string', default: 'x' } }, { required: ['b'], default: {} }) }), [`Required ${AT}.properties[a].default.b`]],
  ['a default whose metadata is none', object({ a: { ...EMBEDDED, default: { apiVersion: 'v1', kind: 'X', metadata: { labels: 5 } } } }), [`Invalid ${AT}.properties[a].default.metadata`]],
  ['an address of its own', { ...object({}), $schema: 'http://x' }, [`Invalid ${AT}`]],
  ['an object embedded in metadata', object({ a: { ...EMBEDDED, properties: { metadata: object({ b: EMBEDDED }) } } }), [`Forbidden ${AT}.properties[a].properties[metadata].properties[b].x-kubernetes-embedded-resource`]],
  ['a map list of what may be null', object({ a: { ...MAP, items: object({ k: { type: 'string', default: '' } }, { nullable: true }) } }), [`Forbidden ${AT}.properties[a].items.nullable`]],
  ['what is wrong told once, before what follows from it', object({ a: { type: 'list', $ref: '#/x', items: { type: 'x' } } }), [`NotSupported ${AT}.properties[a].type`, `Forbidden ${AT}.properties[a].$ref`, `NotSupported ${AT}.properties[a].items.type`]],
  ['an embedded object without members', object({ a: { type: 'object', 'x-kubernetes-embedded-resource': true } }), [`Required ${AT}.properties[a].properties`]],
  ['a member called __proto__', JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{}}}') as object, [`Required ${AT}.properties[constructor].type`]],
];
const INTEGER_OR_STRING = [{ type: 'integer', externalDocs: { url: 'https://x' } }, { type: 'string', example: 'x' }];
const MORE_SCHEMAS: typeof SCHEMAS = [
  ['documented alternatives of an integer or a string', object({ a: { 'x-kubernetes-int-or-string': true, anyOf: INTEGER_OR_STRING } }), []],
  ['rules in an alternative', object({ a: { type: 'string', not: { 'x-kubernetes-validations': [{ rule: 'true' }] } } }), [`Forbidden ${AT}.properties[a].not.x-kubernetes-validations`]],
  ['a default of the object itself', { ...object({ a: { type: 'string' } }), default: { a: 'x' } }, [`Required ${AT}.default.apiVersion`, `Required ${AT}.default.kind`]],
  [
    'a default that makes bad metadata',
    object({ a: { ...EMBEDDED, properties: { metadata: object({ name: { type: 'string', default: 'a/b' } }) } } }),
    [`Invalid ${AT}.properties[a].properties[metadata].properties[name].default`],
  ],
];
for (const [title, schema, causes] of [...SCHEMAS, ...MORE_SCHEMAS]) test(`a schema with ${title}`, () => assert.deepEqual(withSchema(schema), causes));

test('a schema that all versions share knows of the status of any of them', () => {
  const schema = { ...SCHEMA, nullable: false, minProperties: 1 };
  const versions = [version({}, schema), version({ name: 'v2', storage: false, subresources: { status: {} } }, schema)];
  assert.deepEqual(made({ versions }).causes, [`Invalid ${AT}`]);
});

test('a schema next to a status that allows no other members, or has a default of nothing, has what may not be at its root', () => {
  const causes = [{ additionalProperties: false }, { default: '' }].map((more) => made({ versions: [version({ subresources: { status: {} } }, object({}, more))] }).causes);
  assert.deepEqual(causes.map((all) => all.includes(`Invalid ${AT}`)), [true, true]);
});

test('a schema next to a status has none of the words that may not be at its root, not even with nothing in them', () => {
  const empty = { enum: [], allOf: [], oneOf: [], anyOf: [], patternProperties: {}, definitions: {}, 'x-kubernetes-list-map-keys': [] };
  for (const [word, nothing] of Object.entries(empty)) {
    assert.deepEqual(made({ versions: [version({ subresources: { status: {} } }, object({}, { [word]: nothing }))] }).causes, [`Invalid ${AT}`], word);
    const inside = (more: object): object => ({ type: 'object', properties: { a: { type: 'object', ...more } }, ...more });
    assert.deepEqual(storedOf(inside({ [word]: nothing })), inside({}), word);
  }
});

test('showing versions costs what they hold, however many are alike', (context) => {
  const versions = Array.from({ length: 60 }, (_, at) => version({ name: `v${at}` }));
  // What compares objects member by member lists their members.
  const comparisons = context.mock.method(Object, 'keys');
  assert.ok(made({ versions }).causes.includes('Invalid spec.versions'));
  assert.ok(comparisons.mock.callCount() < 150 * versions.length, String(comparisons.mock.callCount()));
});

test('what versions do not have in common is told of each', () => {
  const other = version({ name: 'v2', storage: false }, object({ a: {} }));
  assert.deepEqual(made({ versions: [version(), other] }).causes, ['Required spec.versions[1].schema.openAPIV3Schema.properties[a].type']);
});

test('a definition that says of other members neither a schema nor whether there are any is told so', () => {
  const said = (additionalProperties: unknown) => () => withSchema(object({ a: { type: 'object', additionalProperties } }));
  for (const value of ['x', 1, []]) assert.throws(said(value), { name: 'DecodeFailure', wireText: 'boolean or JSON schema expected' });
  assert.deepEqual(said(null)(), []);
});

test('rules of a later release are dropped, members and values that look like them are not', () => {
  const rules = (): object => ({ 'x-kubernetes-validations': [{ rule: 'self > 1' }] });
  const schema = (more: object): object => {
    const text = { type: 'string', ...more };
    const lookalike = { properties: { b: rules() }, items: rules() };
    const list = { type: 'array', items: text, ...more };
    const map = { type: 'object', additionalProperties: text, ...more };
    const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, default: lookalike, ...more };
    return object({ list, map, free, 'x-kubernetes-validations': text }, more);
  };
  assert.deepEqual(withSchema(schema(rules())), []);
  assert.deepEqual(storedOf(schema(rules())), schema({}));
});

test('rules that are dropped raise the generation with every write all the same', () => {
  const rules = { 'x-kubernetes-validations': [{ rule: 'true' }] };
  const sent = (more: object): object => body({ versions: [version({}, object({}, more))] }, { generation: 3 });
  const { object: live } = write(CustomResourceDefinition, { body: sent(rules) });
  const generationAfter = (more: object): unknown => write(CustomResourceDefinition, { body: sent(more), live }).object.metadata.generation;
  assert.deepEqual([generationAfter(rules), generationAfter({}), generationAfter({ 'x-kubernetes-validations': [] })], [4, 3, 3]);
});

test('rules that another server stored stay, with what is added to them, until the definition has none', () => {
  const rules = { 'x-kubernetes-validations': [{ rule: 'self.a > 1' }] };
  const sent = (schema: object): object => body({ versions: [version({}, schema)] });
  const schemaAfter = (schema: object, before: object): unknown => {
    const { object: live } = made();
    Object.assign((live as Definition).spec.versions?.[0]?.schema ?? {}, { openAPIV3Schema: before });
    const { object: next, causes } = write(CustomResourceDefinition, { body: sent(schema), live });
    assert.deepEqual(causes, []);
    return (next as Definition).spec.versions?.[0]?.schema?.openAPIV3Schema;
  };
  const [inside, everywhere, nowhere] = [object({ a: { type: 'integer', ...rules } }), object({ a: { type: 'integer', ...rules } }, rules), object({ a: { type: 'integer' } })];
  for (const schema of [inside, everywhere, nowhere]) assert.deepEqual(schemaAfter(schema, inside), schema);
  assert.deepEqual(schemaAfter(everywhere, nowhere), nowhere);
});

test('defaults need a definition that prunes', () => {
  const messages = (schema: object): readonly (string | undefined)[] => {
    const at = new FieldErrors();
    validateDefinition(made({ versions: [version({}, schema)], preserveUnknownFields: true }).object as Definition, undefined, brandOf('orch'), at);
    return at.causes.filter(({ field }) => field === 'spec.preserveUnknownFields').map(({ message }) => message);
  };
  const whatever = 'Invalid value: true: cannot set to true, set x-preserve-unknown-fields to true in spec.versions[*].schema instead';
  const needed = 'Invalid value: true: must be false in order to use defaults in the schema';
  assert.deepEqual(messages(object({ a: { type: 'string' } })), [whatever]);
  assert.deepEqual(messages(object({ a: { type: 'string', not: { default: 'x' } } })), [needed, whatever]);
});

test('defaults are checked within one bound for the whole definition, however many there are', () => {
  const costly = { type: 'array', items: { type: 'integer', allOf: Array.from({ length: 400 }, () => ({})) }, default: Array.from({ length: 900 }, () => 1) };
  const schema = (...names: string[]): object => object(Object.fromEntries(names.map((name) => [name, costly])));
  const refused = (...schemas: object[]): boolean => {
    const { messages } = made({ versions: schemas.map((one, at) => version({ name: `v${at}`, storage: at === 0 }, one)) });
    return messages.some((message) => message.includes('takes too long to check'));
  };
  assert.deepEqual([refused(schema('a', 'b')), refused(schema('a', 'b', 'c')), refused(schema('a', 'b'), schema('c'))], [false, true, true]);
});

test('heads of objects in defaults are stored in normal form, wherever the objects are, and malformed ones are refused', () => {
  const head = (metadata: unknown): object => ({ apiVersion: 'v1', kind: 'X', metadata });
  const sent = (): object => head({ name: 'x', unknown: 1, creationTimestamp: null });
  const places: readonly ((value: unknown) => object)[] = [
    (value) => ({ type: 'object', default: value }),
    (value) => object({ a: { ...EMBEDDED, default: value } }),
    (value) => object({ a: { type: 'array', items: { ...EMBEDDED, default: value } } }),
    (value) => object({ a: object({ b: { type: 'array', items: EMBEDDED } }, { default: { b: [value] } }) }),
    (value) => object({ a: { type: 'object', additionalProperties: EMBEDDED, default: { b: value } } }),
  ];
  for (const at of places) {
    assert.deepEqual(withSchema(at(sent())), []);
    assert.deepEqual(storedOf(at(sent())), at(head({ name: 'x' })));
    assert.equal(withSchema(at(head('x'))).length, 1);
  }
});

test('no part of a name is made up', () => {
  assert.deepEqual(write(CustomResourceDefinition, { body: body({}, { name: 'foos.example.com', generateName: 'x-' }) }).causes, ['Invalid metadata.generateName']);
});

test('what is established keeps group, plural, kind and scope', () => {
  const live = made().object as Definition;
  live.status.conditions = [{ type: 'Established', status: 'True' }];
  const next = body({ group: 'other.com', scope: 'Cluster', names: { plural: 'bars', kind: 'Bar' } });
  assert.deepEqual(write(CustomResourceDefinition, { body: next, live }).causes, ['Invalid spec.scope', 'Invalid spec.names.kind', 'Invalid spec.group', 'Invalid spec.names.plural']);
});

test('a second version that wants to be stored is told in the status as well, be the definition new or not', () => {
  const two = { versions: [version(), version({ name: 'v2' })] };
  const causes = ['Invalid spec.versions', 'Invalid status.storedVersions'];
  assert.deepEqual([made(two).causes, write(CustomResourceDefinition, { body: body(two), live: made().object }).causes], [causes, causes]);
});

const LATE: readonly (readonly [title: string, schema: object, cause: string])[] = [
  ['keys that may be absent', object({ a: { ...MAP, items: object({ k: { type: 'string' } }) } }), `Required ${AT}.properties[a].items.properties[k].default`],
  ['a set of maps', object({ a: { type: 'array', 'x-kubernetes-list-type': 'set', items: object({}) } }), `Invalid ${AT}.properties[a].items.x-kubernetes-map-type`],
  ['a default of what nobody knows', object({ a: object({}, { default: { x: 1 } }) }), `Invalid ${AT}.properties[a].default`],
  ['a type of its own', object({ a: { type: 'list' } }), `NotSupported ${AT}.properties[a].type`],
];
for (const [title, schema, cause] of LATE) {
  test(`a definition that had ${title} before that was wrong may go on so, and no other`, () => {
    const old = made({ versions: [version({}, schema)] });
    const renamed = body({ versions: [version({}, schema)], names: { plural: 'foos', kind: 'Foo', shortNames: ['f'] } });
    assert.deepEqual([old.causes, write(CustomResourceDefinition, { body: renamed, live: old.object }).causes], [[cause], []]);
    assert.deepEqual(write(CustomResourceDefinition, { body: renamed, live: made().object }).causes, [cause]);
  });
}

test('a definition that keeps unknown fields may go on without structure, and none begins to', () => {
  const loose = object({ a: {} });
  const keeping = (schema: object): object => body({ preserveUnknownFields: true, versions: [version({}, schema)] });
  const causes = (before: object, after: object): readonly string[] => write(CustomResourceDefinition, { body: keeping(after), live: write(CustomResourceDefinition, { body: keeping(before) }).object }).causes;
  const missing = `Required ${AT}.properties[a].type`;
  assert.deepEqual([causes(loose, loose), causes(SCHEMA, loose)], [[], [missing]]);
  const foreign = { ...SCHEMA, $schema: 'http://json-schema.org/schema#' };
  assert.deepEqual([causes(foreign, foreign), causes(SCHEMA, foreign)], [[], [`Invalid ${AT}`]]);
  const alsoWith = (type: string, more: object): object => object({ a: {}, b: { type, ...more } });
  assert.deepEqual(causes(loose, alsoWith('object', { 'x-kubernetes-map-type': 'atomic' })), []);
  assert.deepEqual(causes(loose, alsoWith('array', { 'x-kubernetes-list-type': 'atomic', items: { type: 'string' } })), [missing]);
});

test('a definition whose webhook spoke nothing we do may go on so', () => {
  const speaking = (review: string): object => body({ conversion: { strategy: 'Webhook', webhook: { clientConfig: { url: 'https://x' }, conversionReviewVersions: [review] } } });
  const causes = (before: string): readonly string[] =>
    write(CustomResourceDefinition, { body: speaking('v9'), live: write(CustomResourceDefinition, { body: speaking(before) }).object }).causes;
  assert.deepEqual([causes('v8'), causes('v1')], [[], ['Invalid spec.conversion.conversionReviewVersions']]);
});

test('groups of the product itself need an approval', () => {
  for (const dialect of ['orch', 'kubernetes'] as const) {
    const { names } = brandOf(dialect);
    const group = `x.${names.shortDomain}`;
    const causes = (text?: string): readonly string[] => {
      const annotations = text === undefined ? {} : { annotations: { [names.apiApprovedAnnotation]: text } };
      return write(CustomResourceDefinition, { body: body({ group }, { name: `foos.${group}`, ...annotations }), dialect }).causes;
    };
    const at = `metadata.annotations[${names.apiApprovedAnnotation}]`;
    assert.deepEqual([causes(), causes('https://x/1'), causes('https://u@x?y'), causes('unapproved: a trial')], [[`Required ${at}`], [], [], []]);
    for (const text of ['x', 'https://', 'https:///x', 'https://?x', 'https://u@', 'https://a b', 'https://x:port', 'https://x/%']) assert.deepEqual(causes(text), [`Invalid ${at}`], text);
  }
});

test('deletion asks for the removal of the objects first', () => {
  const going = made().object as Definition;
  assert.equal(CustomResourceDefinition.finalizing?.isHeld(going), true);
  going.metadata.deletionTimestamp = '2024-01-02T03:04:05Z';
  CustomResourceDefinition.finalizing?.mark(going, brandOf('orch'));
  assert.deepEqual(going.metadata.finalizers, ['customresourcecleanup.apiextensions.orch.io']);
  assert.deepEqual(going.status.conditions?.map(({ type, status, reason }) => [type, status, reason]), [['Terminating', 'True', 'InstanceDeletionPending']]);
  assert.equal(CustomResourceDefinition.finalizing?.isHeld(going), false);
});
