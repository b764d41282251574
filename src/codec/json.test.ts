import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stringScalar, t } from '#schema';
import { objectTypeOf } from '#api';
import { ApiError } from '#errors';
import type { Expected, ListEnvelope } from './codec.ts';
import { createJsonCodec } from './json.ts';
import { withParts } from './parts.ts';

class Body extends t.message('test.ConfigMap', { data: t.map(1, stringScalar) }) {}

const expected: Expected = { apiVersion: 'v1', kind: 'ConfigMap', type: objectTypeOf(Body) };
const grouped: Expected = { ...expected, apiVersion: 'apps/v1', kind: 'Thing' };
const codec = createJsonCodec();
const bytes = (text: string): Uint8Array => Buffer.from(text);
const listOf = (envelope: ListEnvelope, ...items: readonly Uint8Array[]): string => Buffer.concat(withParts(codec.list(envelope), items)).toString();

test('an object is decoded into its normal form; what it does not say about itself is as expected', () => {
  const object = codec.decode(expected, bytes('{"metadata":{"name":"a"},"data":{"k":"v"}}'));
  assert.deepEqual(object, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', creationTimestamp: null }, data: { k: 'v' } });
  assert.deepEqual(Object.keys(object), ['kind', 'apiVersion', 'metadata', 'data']);
});

test('a version of the core group may stand behind the slash of groups', () => {
  assert.equal(codec.decode(expected, bytes('{"apiVersion":"/v1","kind":"ConfigMap"}')).apiVersion, 'v1');
  assert.throws(() => codec.decode(expected, bytes('{"apiVersion":"v1/","kind":"ConfigMap"}')), ApiError);
});

test('the case of letters counts but in the names of version and kind, and in these, too, where a patch made the object', () => {
  const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { creationTimestamp: null } };
  assert.deepEqual(codec.decode(expected, bytes('{"KIND":"ConfigMap","ApiVersion":"v1","METADATA":{"name":"a"}}')), object);
  assert.deepEqual(codec.decode(expected, bytes('{"Kind":"Other","kind":"ConfigMap","KIND":null}')), object);
  assert.deepEqual(codec.decode({ ...expected, isPatched: true }, bytes('{"kind":"ConfigMap","Kind":"Other"}')), object);
});

test('null is an empty object', () => {
  assert.deepEqual(codec.decode(expected, bytes('null')), { kind: 'ConfigMap', apiVersion: 'v1', metadata: { creationTimestamp: null } });
});

const REFUSED: readonly (readonly [expected: Expected, body: string, message: string])[] = [
  [expected, '', "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)"],
  [expected, '{"apiVersion":"a/b/c"}', 'the object provided is unrecognized (must be of type ConfigMap): unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c"})'],
  [expected, '{', "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input ({)"],
  [
    expected,
    'apiVersion: v1\nkind: ConfigMap\nmetadata:',
    "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: " +
      "invalid character 'a' looking for beginning of value (61706956657273696f6e3a2076310a6b696e643a20436f6e6669674d6170 ...)",
  ],
  [
    expected,
    '[]',
    "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" } (5b5d)",
  ],
  ...([['{"kind":1,"apiVersion":[]}', 'number', 'kind'], ['{"apiVersion":{},"kind":true}', 'object', 'apiVersion']] as const).map(([body, type, name]) =>
    [expected, body, `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: json: cannot unmarshal ${type} into Go struct field .${name} of type string (${body.slice(0, 30)}${body.length > 30 ? ' ...' : ''})`] as const),
  [expected, '{"apiVersion":"v1","Kind":5}', `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string ({"apiVersion":"v1","Kind":5})`],
  [expected, '{"Kind":"Other"}', 'Other in version "v1" cannot be handled as a ConfigMap: no kind "Other" is registered for version "v1" in scheme "pkg/runtime/scheme.go:100"'],
  [expected, '{"kind":"ConfigMap","KIND":"Other"}', 'Other in version "v1" cannot be handled as a ConfigMap: no kind "Other" is registered for version "v1" in scheme "pkg/runtime/scheme.go:100"'],
  [grouped, '{"APIVersion":"apps/v2","kind":"Thing"}', 'the API version in the data (apps/v2) does not match the expected API version (apps/v1)'],
  [expected, '{"kind":"Other"}', 'Other in version "v1" cannot be handled as a ConfigMap: no kind "Other" is registered for version "v1" in scheme "pkg/runtime/scheme.go:100"'],
  [
    grouped,
    '{"apiVersion":"wrong/v2","kind":"Thing"}',
    'Thing in version "v2" cannot be handled as a Thing: no kind "Thing" is registered for version "wrong/v2" in scheme "pkg/runtime/scheme.go:100"',
  ],
  [grouped, '{"apiVersion":"apps/v2"}', 'the API version in the data (apps/v2) does not match the expected API version (apps/v1)'],
  [
    expected,
    '{"data":{"a":1}}',
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
  ],
  [{ ...expected, mustSayKind: true }, '{"Kind":"ConfigMap","apiVersion":"v1"}', `ConfigMap in version "v1" cannot be handled as a ConfigMap: Object 'Kind' is missing in '{...}'`],
  [{ ...expected, mustSayKind: true }, '{}', `ConfigMap in version "v1" cannot be handled as a ConfigMap: Object 'Kind' is missing in '{}'`],
];

for (const [as, body, message] of REFUSED) {
  test(`${JSON.stringify(body.slice(0, 30))} is a bad request`, () => {
    assert.throws(
      () => codec.decode(as, bytes(body)),
      (error) => {
        assert.ok(error instanceof ApiError);
        assert.deepEqual([error.reason, error.code, error.details], ['BadRequest', 400, undefined]);
        assert.equal(error.message, message);
        return true;
      },
    );
  });
}

test('options may name any version', () => {
  const options: Expected = { ...expected, kind: 'DeleteOptions', isOptions: true };
  assert.equal(codec.decode(options, bytes('{"apiVersion":"apps/v1","kind":"DeleteOptions"}')).apiVersion, 'v1');
  assert.throws(() => codec.decode(options, bytes('{"apiVersion":"v1","kind":"Pod"}')), ApiError);
});

test('fields that the type does not know are dropped', () => {
  const object = codec.decode(expected, bytes('{"x":1,"metadata":{"y":2}}'));
  assert.deepEqual(object, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { creationTimestamp: null } });
});

const encoded = (name: string): Uint8Array => codec.encode(expected.type, codec.decode(expected, bytes(JSON.stringify({ metadata: { name } }))));

test('an object is one line', () => {
  assert.equal(Buffer.from(encoded('a')).toString(), '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","creationTimestamp":null}}\n');
});

test('items of a list do not repeat kind and version', () => {
  const envelope = { apiVersion: 'v1', kind: 'ConfigMapList', metadata: { resourceVersion: '7' } };
  assert.equal(listOf(envelope), '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[]}\n');
  assert.equal(
    listOf(envelope, encoded('a'), encoded('b')),
    '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[' +
      '{"metadata":{"name":"a","creationTimestamp":null}},{"metadata":{"name":"b","creationTimestamp":null}}]}\n',
  );
  assert.match(listOf({ ...envelope, keepsItemKind: true }, encoded('a')), /"items":\[\{"kind":"ConfigMap","apiVersion":"v1",/);
  const partial = bytes('{"kind":"PartialObjectMetadata","apiVersion":"v1","metadata":{}}\n');
  assert.match(listOf({ ...envelope, kind: 'PartialObjectMetadataList' }, partial), /"items":\[\{"kind":"PartialObjectMetadata"/);
  assert.match(listOf({ ...envelope, isNullWhenEmpty: true }, partial), /"items":\[\{.*\}\]\}\n$/);
  assert.match(listOf({ ...envelope, isNullWhenEmpty: true }), /,"items":null\}\n$/);
});

test('an event is one line around the object', () => {
  const frame = Buffer.from(codec.frame('MODIFIED', encoded('a'))).toString();
  assert.equal(frame, '{"type":"MODIFIED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","creationTimestamp":null}}}\n');
});
