import { parseJson, stringifyJson } from '#base';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { brandOf, StatusBody } from '#api';
import { ApiError, type Status } from '#errors';
import { decode, int32Scalar, bytesScalar, MAX_MESSAGES, stringScalar, t, type MessageClass, type MessageType } from '#schema';
import { withParts } from '../parts.ts';
import { createProtobufCodec } from './codec.ts';
import { rawOf } from './envelope.ts';

const codec = createProtobufCodec(brandOf('orch'));

class Leaf extends t.message('test/v1.Leaf', {
  name: t.string(1),
  count: t.maybe.int32(2),
}) {}

class Beside extends t.message('test/v1.Beside', {
  first: t.string(1),
  second: t.perhaps(2, Leaf),
}) {}

class Joined extends t.message('test/v1.Joined', { joined: t.bool(16) }) {}

class Everything extends t.message('test/v1.Everything', {
  text: t.string(1),
  maybeText: t.maybe.string(2),
  flag: t.bool(3),
  maybeFlag: t.maybe.bool(4),
  small: t.int32(5),
  maybeSmall: t.maybe.int32(6),
  big: t.int64(7),
  maybeBig: t.maybe.int64(8),
  ratio: t.double(9),
  bytes: t.bytes(10),
  time: t.time(11),
  maybeTime: t.maybe.time(12),
  micro: t.maybe.microTime(13),
  beside: t.inline(14, Beside),
  joined: t.inline(0, Joined),
  quantity: t.maybe.quantity(17),
  port: t.intOrString(18),
  raw: t.rawObject(19),
  fields: t.fieldsV1(20),
  json: t.json(21),
  leaf: t.one(22, Leaf),
  leaves: t.many(23, Leaf),
  numbers: t.many(24, int32Scalar),
  labels: t.map(25, stringScalar),
  blobs: t.map(26, bytesScalar),
  leavesByName: t.map(27, Leaf),
  extra: t.mapOfStrings(28),
  self: t.lazy(300, (): MessageClass<unknown> => Everything),
}) {}

const type: MessageType = {
  ...Everything.type,
  members: [['kind', t.string(0).facts], ['apiVersion', t.string(0).facts], ...Everything.type.members],
  fields: new Map([['kind', t.string(0).facts], ['apiVersion', t.string(0).facts], ...Everything.type.fields]),
};
const expected = { apiVersion: 'test/v1', kind: 'Everything', type };

const normal = (value: object): { apiVersion: string; kind: string } =>
  decode(type, { ...value, apiVersion: 'test/v1', kind: 'Everything' }) as { apiVersion: string; kind: string };

const text = fc.string({ unit: 'binary', maxLength: 80, size: 'max' });
const key = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'toString', ''), text);
const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const int64 = fc.oneof(
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => (Number.isSafeInteger(Number(value)) ? Number(value) : value)),
);
const base64 = fc.uint8Array({ maxLength: 20, size: 'max' }).map((bytes) => Buffer.from(bytes).toString('base64'));
const moment = fc.date({ min: new Date('0002-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }).map((date) => date.toISOString());
const leaf = fc.record({ name: text, count: int32 }, { requiredKeys: [] });
const dictionary = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> => fc.dictionary(key, value, { maxKeys: 4, noNullPrototype: true });
/** As the JSON reader delivers it: no -0, and bigint beyond 2^53. */
const json = fc.jsonValue({ maxDepth: 2 }).map((value) => parseJson(stringifyJson(value)));
const jsonObject = fc.dictionary(fc.constantFrom('a', 'b', '.', 'f:x'), json, { noNullPrototype: true });

const flat = {
  text,
  maybeText: text,
  flag: fc.boolean(),
  maybeFlag: fc.boolean(),
  small: int32,
  maybeSmall: int32,
  big: int64,
  maybeBig: int64,
  ratio: fc.double({ noNaN: true, noDefaultInfinity: true }),
  bytes: base64,
  time: moment,
  maybeTime: moment,
  micro: moment.map((text) => text.replace('Z', '456Z')),
  first: text,
  second: leaf,
  joined: fc.boolean(),
  quantity: fc.constantFrom('0', '1', '250m', '3Gi', '1500'),
  port: fc.oneof(int32, text),
  raw: jsonObject,
  fields: jsonObject,
  json: json.filter((value) => value !== null),
  leaf,
  leaves: fc.array(leaf, { maxLength: 3 }),
  numbers: fc.array(int32, { maxLength: 4 }),
  labels: dictionary(text),
  blobs: dictionary(base64),
  leavesByName: dictionary(leaf),
  extra: dictionary(fc.array(text, { maxLength: 3 })),
};
const everything = fc.record({ ...flat, self: fc.record(flat, { requiredKeys: [] }) }, { requiredKeys: [] });

test('RX-14 RX-15 what goes through protobuf comes back unchanged', () => {
  fc.assert(
    fc.property(everything, (value) => {
      const object = normal(value);
      assert.deepEqual(codec.decode(expected, codec.encode(type, object)), object);
    }),
    { numRuns: 400 },
  );
});

test('R2.6-01 R2.6-02 bytes that are not an object are refused, whatever they are', () => {
  const bytes = codec.encode(type, normal({ text: 'a', leaf: { name: 'b' }, labels: { c: 'd' } }));
  const change = fc.record({ at: fc.nat(bytes.length - 1), byte: fc.nat(255), cut: fc.nat(bytes.length) });
  fc.assert(
    fc.property(change, ({ at, byte, cut }) => {
      const broken = Uint8Array.prototype.slice.call(bytes, 0, bytes.length - (cut % 7));
      if (at < broken.length) broken[at] = byte;
      try {
        codec.decode(expected, broken);
      } catch (error) {
        assert.ok(error instanceof ApiError && error.reason === 'BadRequest', String(error));
      }
    }),
    { numRuns: 2000 },
  );
});

const refused = (bytes: readonly number[] | Uint8Array, message: RegExp): void =>
  assert.throws(() => codec.decode(expected, Uint8Array.from(bytes)), (error) => error instanceof ApiError && message.test(error.message));

const MAGIC = [0x6b, 0x38, 0x73, 0];
const raw = (...bytes: readonly number[]): number[] => [...MAGIC, 0x12, ...lengthOf(bytes), ...bytes];

function lengthOf(bytes: { readonly length: number }): number[] {
  const length: number[] = [];
  let rest = bytes.length;
  for (; rest >= 128; rest = Math.floor(rest / 128)) length.push((rest % 128) + 128);
  return [...length, rest];
}

test('R2.6-01 broken bodies say what is wrong with them', () => {
  refused(Buffer.from('garbage'), /does not appear to be a protobuf message/);
  refused([], /empty data/);
  refused(MAGIC, /empty body/);
  refused([...MAGIC, 0x0a, 0xc3, 0xbf], /unexpected EOF/);
  refused(raw(0x0a, 0x05, 0x61), /unexpected EOF/);
  refused(raw(0x49, 0x01, 0x02), /unexpected EOF/);
  // What comes behind a message is no part of its numbers.
  refused([...raw(0x49, 0x01, 0x02), 0x1a, 0x00, 0x22, 0x06, ...Buffer.from('a/json')], /unexpected EOF/);
  refused(raw(0x08, 0x01), /: proto: wrong wireType = 0 for field Text$/);
  refused(raw(0x00), /: proto: Everything: illegal tag 0 \(wire type 0\)$/);
  refused(raw(0x04), /: proto: Everything: wiretype end group for non-group$/);
  refused(raw(0x0b), /wrong wireType = 3/);
  refused(raw(0xa3, 0x1f), /unexpected EOF/);
  refused(raw(0xa6, 0x1f), /: proto: illegal wireType 6$/);
  refused([...raw(0x0a, 0x01, 0x61), 0x1a, 0x04, 0x67, 0x7a, 0x69, 0x70], /content encoding "gzip" is not supported/);
  refused(raw(0x3a, 0x00), /wrong wireType = 2 for field Big/);
  refused(raw(0x38, ...new Array<number>(11).fill(0xff)), /: proto: integer overflow$/);
  refused(raw(0x0a, ...new Array<number>(9).fill(0xff), 0x01), /: proto: negative length found during unmarshaling$/);
  refused(raw(0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f), /a Everything: unexpected EOF$/);
});

test('numbers that JSON does not have are refused, as they would be lost in the store', () => {
  const ratio = (value: number): readonly number[] => raw(0x49, ...Buffer.from(new Float64Array([value]).buffer));
  assert.equal((codec.decode(expected, Uint8Array.from(ratio(0.5))) as unknown as { ratio: number }).ratio, 0.5);
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) refused(ratio(value), /: json: cannot unmarshal number \S+ into Go struct field Everything\.ratio of type float64$/);
});

test('R2.6-01 what kube-apiserver reads in bytes that are not quite right is read, too', () => {
  const read = (bytes: readonly number[]): unknown => codec.decode(expected, Uint8Array.from(bytes));
  const text = [0x0a, 0x01, 0x61];
  const plain = read(raw(...text));
  // But amounts have no white space around them, as they may in JSON.
  refused(raw(0x8a, 0x01, 4, 0x0a, 2, 0x31, 0x0d), /: quantities must match the regular expression/);
  // Numbers of fields beyond those of protobuf; of longer ones the lowest 32 bits count.
  assert.deepEqual(read(raw(...text, 0x82, 0x80, 0x80, 0x80, 0x10, 0x01, 0x7a)), plain);
  assert.deepEqual(read(raw(0x8a, 0x80, 0x80, 0x80, 0x80, 0x01, 0x01, 0x61)), plain);
  const labels = [0xca, 0x01];
  const entry = (...bytes: readonly number[]): unknown => (read(raw(...labels, bytes.length, ...bytes)) as { readonly labels: unknown }).labels;
  assert.deepEqual(entry(0x0a, 1, 0x6b, 0x12, 1, 0x76), { k: 'v' });
  // Wire types of key and value, and numbers that are none.
  assert.deepEqual(entry(0x08, 1, 0x6b, 0x15, 1, 0x76), { k: 'v' });
  assert.deepEqual(entry(0x02, 1, 0x6b, 0x0a, 1, 0x6b), { k: '' });
  assert.deepEqual(entry(0x0a, 1, 0x6b, 0x12, 1, 0x76, 0x8a, 0x80, 0x80, 0x80, 0x10, 1, 0x78, 0x92, 0x80, 0x80, 0x80, 0x10, 1, 0x78, 0x8a, 0x80, 0x80, 0x80, 0x70, 1, 0x78), { k: 'v' });
  refused(raw(...labels, 3, 0x0a, 4, 0x6b, 0x12, 0x01, 0x76), /unexpected EOF/);
});

/** Fields 300 within one another, so many of them. */
function nested(levels: number): number[] {
  let bytes = Buffer.alloc(0);
  for (let level = 0; level < levels; level++) bytes = Buffer.concat([Buffer.from([0xe2, 0x12, ...lengthOf(bytes)]), bytes]);
  return [...MAGIC, 0x12, ...lengthOf(bytes), ...bytes];
}

test('messages nested 256 levels deep are read, and deeper ones refused', () => {
  let object = codec.decode(expected, Uint8Array.from(nested(256))) as { self?: unknown };
  let levels = 0;
  for (; typeof object.self === 'object' && object.self !== null; object = object.self) levels++;
  assert.equal(levels, 256);
  refused(nested(257), /nested deeper than 256 levels$/);
  refused(nested(5_000), /nested deeper than 256 levels$/);
});

test('a bounded number of messages is read: empty ones take two bytes each', () => {
  const leaves = (count: number): Buffer => {
    const bytes = Buffer.alloc(3 * count, Buffer.from([0xba, 0x01, 0x00]));
    return Buffer.concat([Buffer.from([...MAGIC, 0x12, ...lengthOf(bytes)]), bytes]);
  };
  const { length } = (codec.decode(expected, leaves(1000)) as unknown as { leaves: unknown[] }).leaves;
  assert.equal(length, 1000);
  refused(leaves(MAX_MESSAGES + 1), /there are more than 250000 messages$/);
});

test('unknown fields are passed over, packed numbers and split messages are understood', () => {
  const object = codec.decode(
    expected,
    Uint8Array.from(
      raw(
        ...[0xa0, 0x1f, 0x01], // field 500, a number
        ...[0xa2, 0x1f, 0x01, 0x61], // field 500, bytes
        ...[0xa1, 0x1f, 0, 0, 0, 0, 0, 0, 0, 0], // field 500, 64 bits
        ...[0xa5, 0x1f, 0, 0, 0, 0], // field 500, 32 bits
        ...[0xc2, 0x01, 0x02, 0x05, 0x06], // numbers, packed
        ...[0xb2, 0x01, 0x03, 0x0a, 0x01, 0x61], // leaf, first part
        ...[0xb2, 0x01, 0x02, 0x10, 0x07], // leaf, second part
      ),
    ),
  ) as unknown as { numbers: number[]; leaf: object };
  assert.deepEqual(object.numbers, [5, 6]);
  assert.deepEqual(object.leaf, { name: 'a', count: 7 });
});

test('an empty object has every field that is not optional', () => {
  const bytes = codec.encode(Leaf.type, { apiVersion: 'v1', kind: 'Leaf' });
  assert.equal(Buffer.from(bytes).toString('hex'), '6b3873000a0a0a027631120 44c65616612020a001a002200'.replace(' ', ''));
});

test('R2.6-05 list items lose their envelope', () => {
  const items = ['a', 'b'.repeat(300)].map((name) => codec.encode(Leaf.type, { apiVersion: 'v1', kind: 'Leaf', name } as never));
  const pieces = withParts(codec.list({ apiVersion: 'v1', kind: 'LeafList', metadata: { resourceVersion: '7' } }), items);
  assert.equal(pieces.length, items.length + 2, 'one for each item: many lists that are under way at a time hold all of theirs');
  const joined = Buffer.concat(pieces);
  class LeafList extends t.message('test/v1.LeafList', {
    kind: t.string(0),
    apiVersion: t.string(0),
    resourceVersion: t.string(9),
    metadata: t.one(1, class extends t.message('test/v1.Meta', { resourceVersion: t.string(2) }) {}),
    items: t.many(2, Leaf),
  }) {}
  const object = codec.decode({ apiVersion: 'v1', kind: 'LeafList', type: LeafList.type }, joined);
  assert.deepEqual(object, {
    kind: 'LeafList',
    apiVersion: 'v1',
    metadata: { resourceVersion: '7' },
    items: [{ name: 'a' }, { name: 'b'.repeat(300) }],
  });
});

test('a list whose items come first has its metadata behind them', () => {
  const item = codec.encode(Leaf.type, { apiVersion: 'v1', kind: 'Leaf', name: 'a' } as never);
  const bytes = Buffer.concat(withParts(codec.list({ apiVersion: 'v1', kind: 'LeafList', hasItemsFirst: true, metadata: { resourceVersion: '7' } }), [item]));
  const leaf = Buffer.from(rawOf(item));
  const raw = Buffer.from(rawOf(bytes));
  assert.deepEqual(raw.subarray(0, 2 + leaf.length), Buffer.from([0x0a, leaf.length, ...leaf]));
  assert.deepEqual([...raw.subarray(2 + leaf.length, 4 + leaf.length)], [0x12, raw.length - leaf.length - 4]);
  assert.deepEqual([...bytes.subarray(-4)], [0x1a, 0, 0x22, 0]);
});

test('groups nobody knows are passed over; known fields, those of times and the envelope included, must have their form', () => {
  class Timed extends t.message('test/v1.Timed', { kind: t.string(0), apiVersion: t.string(0), name: t.string(1), at: t.time(2) }) {}
  const envelope = '0a0b0a027631120554696d6564';
  const read = (hex: string): unknown => codec.decode({ apiVersion: 'v1', kind: 'Timed', type: Timed.type }, Buffer.from(`6b387300${hex}`, 'hex'));
  const raw = (hex: string): string => `12${(hex.length / 2).toString(16).padStart(2, '0')}${hex}`;
  const refused = (hex: string): string => {
    try {
      return JSON.stringify(read(hex));
    } catch (refusal) {
      assert.ok(refusal instanceof ApiError && refusal.reason === 'BadRequest');
      return refusal.message;
    }
  };
  // Field 99: a group with a number, a text and a group in it.
  assert.deepEqual(read(`${envelope}${raw('9b0608051a0178a306a4069c060a0161')}`), { apiVersion: 'v1', kind: 'Timed', name: 'a', at: null });
  assert.match(refused(`${envelope}${raw('9b060805')}`), /^Timed in version "v1" cannot be handled as a Timed: unexpected EOF$/);
  assert.match(refused(`${envelope}${raw('0b0c')}`), /proto: wrong wireType = 3 for field Name$/);
  assert.match(refused(`${envelope}${raw('12020a00')}`), /proto: wrong wireType = 2 for field Seconds$/);
  assert.match(refused(`0805${raw('0a0161')}`), /^the object provided is unrecognized .*: proto: wrong wireType = 0 for field TypeMeta/);
});

test('R4.7-12 a watch frame is four bytes of length, then type and enveloped object', () => {
  const body = codec.encode(Leaf.type, { apiVersion: 'v1', kind: 'Leaf' });
  const frame = Buffer.from(codec.frame('ADDED', body));
  assert.equal(frame.readUInt32BE(0), frame.length - 4);
  assert.equal(frame.subarray(4, 11).toString('latin1'), '\x0a\x05ADDED');
  assert.deepEqual([...frame.subarray(11, 15)], [0x12, body.length + 2, 0x0a, body.length]);
  assert.deepEqual(frame.subarray(15), Buffer.from(body));
});

test('a large object makes the writer grow and leaves it usable', () => {
  const large = normal({ labels: { a: 'ä'.repeat(1_500_000), b: 'b'.repeat(100_000) } });
  assert.deepEqual(codec.decode(expected, codec.encode(type, large)), large);
  const small = normal({ text: 'small' });
  assert.deepEqual(codec.decode(expected, codec.encode(type, small)), small);
});

test('a Status is an object like others', () => {
  const status: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'configmaps "none" not found',
    reason: 'NotFound',
    details: { name: 'none', kind: 'configmaps' },
    code: 404,
  };
  const type = StatusBody.type;
  assert.deepEqual(codec.decode({ apiVersion: 'v1', kind: 'Status', type }, codec.encodeStatus(status)), status);
});

test('R4.7-04 media types are spelled in the dialect', () => {
  assert.equal(codec.mediaType, 'application/vnd.orch.protobuf');
  assert.equal(createProtobufCodec(brandOf('kubernetes')).streamMediaType, 'application/vnd.kubernetes.protobuf;stream=watch');
});
