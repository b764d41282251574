import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseWholeFloats } from '#base';
import { t } from '../dsl.ts';
import { int32Scalar } from '../scalars/plain.ts';
import { quantityScalar } from '../scalars/quantity.ts';
import { jsonScalar } from '../scalars/raw.ts';
import { refuseFloats } from './refuse-floats.ts';

class Port extends t.message('core/v1.ContainerPort', { containerPort: t.int32(3) }) {}
class OneOrMany extends t.message('test/v1.OneOrMany', { one: t.perhaps(1, Port) }, { form: { spread: (value) => ({ one: value }), gather: ({ one }) => one } }) {}
class Thing extends t.message('test/v2.Thing', {
  replicas: t.maybe.int32(1),
  big: t.int64(2),
  ports: t.many(3, Port),
  counts: t.map(4, int32Scalar),
  most: t.maybe.intOrString(5),
  ratio: t.double(6),
  limits: t.map(7, quantityScalar),
  choices: t.many(8, jsonScalar),
  item: t.perhaps(9, OneOrMany),
}) {}

const refusal = (text: string, at?: readonly string[]): string | undefined => {
  try {
    refuseFloats(Thing.type, parseWholeFloats(Buffer.from(text)), at);
    return undefined;
  } catch (error) {
    return (error as { readonly wireText: string }).wireText;
  }
};

const inField = (literal: string, field: string, type: string): string => `json: cannot unmarshal number ${literal} into Go struct field ${field} of type ${type}`;

test('an integer that is written with a fraction is refused with its text, wherever it stands', () => {
  const rows: readonly (readonly [text: string, refusal: string])[] = [
    ['{"replicas":1.0}', inField('1.0', 'Thing.replicas', 'int32')],
    ['{"big":-2.000 }', inField('-2.000', 'Thing.big', 'int64')],
    ['{"replicas":1,"ports":[{},{"containerPort":80.0}]}', inField('80.0', 'ContainerPort.ports.containerPort', 'int32')],
    ['{"counts":{"a":1,"b":3.0e2}}', inField('3.0e2', 'Thing.counts', 'int32')],
    ['{"most":5.0}', inField('5.0', 'Thing.most', 'int32')],
    ['{"item":{"containerPort":7.0}}', inField('7.0', 'Thing.item', 'int32')],
    ['{"big":2.0,"replicas":1.0}', inField('2.0', 'Thing.big', 'int64')],
  ];
  for (const [text, told] of rows) assert.equal(refusal(text), told, text);
});

test('what a patch puts into an object is refused for its place there', () => {
  assert.equal(refusal('1.0', ['replicas']), inField('1.0', 'Thing.replicas', 'int32'));
  assert.equal(refusal('[{"containerPort":1.0}]', ['ports']), inField('1.0', 'ContainerPort.ports.containerPort', 'int32'));
  assert.equal(refusal('1.0', ['ports', '-', 'containerPort']), inField('1.0', 'ContainerPort.ports.containerPort', 'int32'));
  assert.equal(refusal('1.0', ['unknown', 'replicas']), undefined);
});

test('other numbers may be written as they like', () => {
  for (const text of ['{"ratio":1.0}', '{"limits":{"cpu":1.0}}', '{"choices":[1.0,{"a":2.0}]}', '{"unknown":1.0}', '{"replicas":1}', '{"replicas":1,"ratio":2.0,"big":3}']) {
    assert.equal(refusal(text), undefined, text);
  }
});
