import assert from 'node:assert/strict';
import { test } from 'node:test';
import { t } from '../dsl.ts';
import { stringScalar } from '../scalars/plain.ts';
import { jsonScalar } from '../scalars/raw.ts';
import { quantityScalar } from '../scalars/quantity.ts';
import { timeScalar } from '../scalars/time.ts';
import { decode } from './decode.ts';
import { DecodeFailure } from './decode-failure.ts';

class Port extends t.message('core/v1.ContainerPort', { name: t.string(1), containerPort: t.int32(3), protocol: t.string(4) }) {}
class Beside extends t.message('test/v1.Beside', { path: t.string(1) }) {}
class OneOrMany extends t.message('test/v1.OneOrMany', { one: t.perhaps(1, Port) }, { form: { spread: (value) => ({ one: value }), gather: ({ one }) => one } }) {}
class NumberOrPort extends t.message(
  'test/v1.NumberOrPort',
  { number: t.int32(1), port: t.perhaps(2, Port) },
  { form: { spread: (value) => (typeof value === 'object' ? { port: value } : { number: value }), gather: ({ number, port }) => port ?? number, misfit: 'number or port expected' } },
) {}

class Thing extends t.message('test/v2.Thing', {
  labels: t.map(1, stringScalar),
  ports: t.many(2, Port),
  commands: t.strings(3),
  limits: t.map(4, quantityScalar),
  when: t.maybe.time(5),
  micro: t.maybe.microTime(6),
  data: t.bytes(7),
  most: t.maybe.intOrString(8),
  ratio: t.double(9),
  beside: t.inline(10, Beside),
  extra: t.mapOfStrings(11),
  moments: t.map(14, timeScalar),
  item: t.perhaps(12, OneOrMany),
  target: t.perhaps(15, NumberOrPort),
  choices: t.many(16, jsonScalar),
  big: t.int64(13),
}) {}

const FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const LAYOUT = '"2006-01-02T15:04:05Z07:00"';

const TEXTS: readonly (readonly [value: unknown, text: string])[] = [
  ['x', 'json: cannot unmarshal string into Go value of type v2.Thing'],
  [{ labels: { a: 1 } }, 'json: cannot unmarshal number into Go struct field Thing.labels of type string'],
  [{ labels: [] }, 'json: cannot unmarshal array into Go struct field Thing.labels of type map[string]string'],
  [{ ports: {} }, 'json: cannot unmarshal object into Go struct field Thing.ports of type []v1.ContainerPort'],
  [{ ports: ['x'] }, 'json: cannot unmarshal string into Go struct field Thing.ports of type v1.ContainerPort'],
  [{ ports: [{}, { containerPort: 1.5 }] }, 'json: cannot unmarshal number 1.5 into Go struct field ContainerPort.ports.containerPort of type int32'],
  [{ ports: [{ containerPort: 'x' }] }, 'json: cannot unmarshal string into Go struct field ContainerPort.ports.containerPort of type int32'],
  [{ ports: [{ protocol: true }] }, 'json: cannot unmarshal bool into Go struct field ContainerPort.ports.protocol of type v1.Protocol'],
  [{ commands: 'x' }, 'json: cannot unmarshal string into Go struct field Thing.commands of type []string'],
  [{ limits: [] }, 'json: cannot unmarshal array into Go struct field Thing.limits of type v1.ResourceList'],
  [{ moments: 'x' }, 'json: cannot unmarshal string into Go struct field Thing.moments of type map[string]v1.Time'],
  [{ limits: { cpu: {} } }, FORMAT],
  [{ limits: { cpu: '' } }, FORMAT],
  [{ limits: { cpu: '1mm' } }, "unable to parse quantity's suffix"],
  [{ limits: { cpu: '1.2.3' } }, FORMAT],
  [{ limits: { cpu: '1m2x' } }, FORMAT],
  [{ when: 1 }, 'json: cannot unmarshal number into Go struct field Thing.when of type string'],
  [{ when: 'soon' }, `parsing time "soon" as ${LAYOUT}: cannot parse "soon" as "2006"`],
  [{ when: '2020-01-01' }, `parsing time "2020-01-01" as ${LAYOUT}: cannot parse "" as "T"`],
  [{ when: '2020-13-01T00:00:00Z' }, 'parsing time "2020-13-01T00:00:00Z": month out of range'],
  [{ when: '2021-02-30T00:00:00Z' }, 'parsing time "2021-02-30T00:00:00Z": day out of range'],
  [{ when: '2020-01-01T00:00:00Zx' }, 'parsing time "2020-01-01T00:00:00Zx": extra text: "x"'],
  [{ when: '9999-12-31T23:59:59-01:00' }, 'parsing time "9999-12-31T23:59:59-01:00": year out of range'],
  [{ when: '2020-01-01T24:00:00Z' }, 'parsing time "2020-01-01T24:00:00Z": hour out of range'],
  [{ micro: '2020-01-01T00:00:00Z' }, 'parsing time "2020-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"'],
  [{ target: 'x' }, 'number or port expected'],
  [{ target: { containerPort: 'x' } }, 'json: cannot unmarshal string into Go struct field Thing.target of type int32'],
  [{ choices: {} }, 'json: cannot unmarshal object into Go struct field Thing.choices of type []v1.JSON'],
  [{ data: '*' }, 'illegal base64 data at input byte 0'],
  [{ data: 'YWJj\nYQ' }, 'illegal base64 data at input byte 5'],
  [{ data: 'YQ=x' }, 'illegal base64 data at input byte 2'],
  [{ data: 'YQ=' }, 'illegal base64 data at input byte 3'],
  [{ data: 'YQ==\nx' }, 'illegal base64 data at input byte 5'],
  [{ data: 'YWI=x' }, 'illegal base64 data at input byte 4'],
  [{ data: 'YQ= =' }, 'illegal base64 data at input byte 2'],
  [{ data: [97, 300] }, 'json: cannot unmarshal number 300 into Go struct field Thing.data of type uint8'],
  [{ data: [97, 'x'] }, 'json: cannot unmarshal string into Go struct field Thing.data of type uint8'],
  [{ data: {} }, 'json: cannot unmarshal object into Go struct field Thing.data of type []uint8'],
  [{ most: {} }, 'json: cannot unmarshal object into Go struct field Thing.most of type int32'],
  [{ most: 4294967296 }, 'json: cannot unmarshal number 4294967296 into Go struct field Thing.most of type int32'],
  [{ ratio: 'x' }, 'json: cannot unmarshal string into Go struct field Thing.ratio of type float64'],
  [{ big: 2n ** 64n }, 'json: cannot unmarshal number 18446744073709551616 into Go struct field Thing.big of type int64'],
  [{ path: [] }, 'json: cannot unmarshal array into Go struct field Thing.path of type string'],
  [{ extra: { a: 'x' } }, 'json: cannot unmarshal string into Go struct field Thing.extra of type v1.ExtraValue'],
  [{ item: { containerPort: 'x' } }, 'json: cannot unmarshal string into Go struct field Thing.item of type int32'],
];

for (const [value, text] of TEXTS) {
  test(`what clients read of ${JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? String(part) : part))}`, () => {
    assert.throws(() => decode(Thing.type, value), (error) => error instanceof DecodeFailure && (assert.equal(error.wireText, text), true));
  });
}

test('a long text that is no base64 is told in little time, wherever its fault lies', () => {
  const text = `${'A'.repeat(3_000_000)}*`;
  assert.throws(() => decode(Thing.type, { data: text }), (error) => error instanceof DecodeFailure && error.wireText.endsWith(' 3000000'));
});

const MERGED: readonly (readonly [value: unknown, text: string])[] = [
  [{ labels: 'x' }, 'cannot restore map from string'],
  [{ labels: [] }, 'cannot restore map from slice'],
  [{ labels: { a: 1 } }, 'cannot convert int64 to string'],
  [{ ports: {} }, 'cannot restore slice from map'],
  [{ ports: [true] }, 'cannot restore struct from: bool'],
  [{ ports: [{ containerPort: 'x' }] }, 'unrecognized type: int32'],
  [{ ports: [{ containerPort: 1.5 }] }, 'cannot convert float64 to int32'],
  [{ ports: [{ protocol: 1 }] }, 'cannot convert int64 to v1.Protocol'],
  [{ ports: [{ protocol: {} }] }, 'unrecognized type: string'],
  [{ ratio: true }, 'unrecognized type: float64'],
  [{ limits: { cpu: '1mm' } }, "unable to parse quantity's suffix"],
  [{ most: {} }, 'json: cannot unmarshal object into Go value of type int32'],
  [{ data: '*' }, 'error decoding from json: illegal base64 data at input byte 0'],
  [{ data: 1 }, 'cannot restore slice from int64'],
  [{ target: true }, 'number or port expected'],
];

for (const [value, text] of MERGED) {
  test(`what clients read of ${JSON.stringify(value)} where a strategic merge patch made it`, () => {
    assert.throws(() => decode(Thing.type, value), (error) => error instanceof DecodeFailure && (assert.equal(error.mergedText, text), true));
  });
}
