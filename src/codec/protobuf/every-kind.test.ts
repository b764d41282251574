import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { brandOf, objectTypeOf } from '#api';
import { allKinds } from '#kinds';
import { decode, type FieldFacts, type MessageType, type ScalarName, type Type } from '#schema';
import { createProtobufCodec } from './codec.ts';

const codec = createProtobufCodec(brandOf('orch'));

const word = fc.string({ maxLength: 6 });
const moment = fc.date({ min: new Date('0002-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }).map((date) => `${date.toISOString().slice(0, 19)}Z`);
const raw = fc.dictionary(fc.constantFrom('a', 'f:b', '.'), fc.oneof(word, fc.constant({}), fc.nat()), { noNullPrototype: true });

const SCALARS: Readonly<Record<ScalarName, fc.Arbitrary<unknown>>> = {
  string: word,
  bool: fc.boolean(),
  int32: fc.integer(),
  int64: fc.oneof(fc.maxSafeInteger(), fc.constantFrom(2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n)),
  double: fc.double({ noNaN: true, noDefaultInfinity: true }),
  bytes: fc.uint8Array({ maxLength: 5 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  time: moment,
  microTime: moment.map((text) => text.replace('Z', '.000123Z')),
  quantity: fc.constantFrom('0', '100m', '1Gi', '12'),
  intOrString: fc.oneof(fc.integer(), word),
  rawObject: raw,
  fieldsV1: raw,
  json: raw,
};

/** What is below this depth is left out: some messages hold themselves. */
const MAX_DEPTH = 7;

/** Values are drawn one by one while walking the type: an arbitrary for a whole kind would be very large. */
type Draw = <T>(arbitrary: fc.Arbitrary<T>) => T;

function drawMessage(type: MessageType, draw: Draw, depth: number): Record<string, unknown> {
  // A claim template has a head that protobuf does not.
  const isInProtobuf = (facts: FieldFacts): boolean => facts.no > 0 || depth === 0;
  const members = [...type.fields].filter(([, facts]) => isInProtobuf(facts) && draw(fc.boolean()) && !isTooDeep(facts.type, depth));
  return Object.fromEntries(members.map(([name, facts]) => [name, drawMember(facts, draw, depth)]));
}

const isTooDeep = (type: Type, depth: number): boolean => depth >= MAX_DEPTH && type.is !== 'scalar';

/** A list or map that is always written is null or has something in it: protobuf cannot tell an empty one from null. */
function drawMember({ type, no, isInline }: FieldFacts, draw: Draw, depth: number): unknown {
  assert.ok(!isInline && no >= 0);
  return drawValue(type, draw, depth);
}

function drawValue(type: Type, draw: Draw, depth: number): unknown {
  switch (type.is) {
    case 'scalar':
      return draw(SCALARS[type.scalar.name]);
    case 'message':
      return drawMessage(type.message(), draw, depth + 1);
    case 'list':
      return Array.from({ length: draw(fc.integer({ min: 1, max: 2 })) }, () => drawValue(type.of, draw, depth));
    case 'map':
      return Object.fromEntries(['k', draw(word)].map((key) => [key, drawValue(type.of, draw, depth)]));
  }
}

for (const { kind, versions } of allKinds) {
  for (const [version, { schema }] of Object.entries(versions)) {
    test(`RX-14 RX-15 ${version} ${kind}: JSON to protobuf and back loses nothing`, () => {
      const type = objectTypeOf(schema);
      const expected = { apiVersion: version, kind, type };
      fc.assert(
        fc.property(fc.gen(), (gen) => {
          const drawn = drawMessage(type, (arbitrary) => gen(() => arbitrary), 0);
          const object = decode(type, { ...drawn, apiVersion: version, kind });
          assert.deepEqual(codec.decode(expected, codec.encode(type, object as never)), object);
        }),
        { numRuns: 25, endOnFailure: true },
      );
    });
  }
}
