// Broken bytes of every kind: whatever they are, they are an object or a refusal, at once. MUTATIONS=1000 makes as many of each object.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { brandOf } from '#api';
import { ApiError } from '#errors';
import type { Codec, Expected } from '../codec.ts';
import { createJsonCodec } from '../json.ts';
import { createProtobufCodec } from './codec.ts';
import { readGoldens } from './test-support.ts';

const runs = Number(process.env['MUTATIONS'] ?? 100);
const MAX_MS = 50;

type Change = (bytes: Buffer) => Buffer;

/** Where, as a part of the length: bytes of any object can be changed there. */
const where = fc.double({ min: 0, max: 1, noNaN: true });
const placed = (change: (bytes: Buffer, at: number, byte: number) => Buffer): fc.Arbitrary<Change> =>
  fc.tuple(where, fc.oneof(fc.nat(255), fc.constantFrom(0, 0x7f, 0x80, 0xff))).map(([part, byte]) => (bytes) => change(bytes, Math.floor(part * bytes.length), byte));

const change: fc.Arbitrary<Change> = fc.oneof(
  placed((bytes, at, byte) => Buffer.from(bytes.map((old, position) => (position === at ? byte : old)))),
  placed((bytes, at, byte) => Buffer.concat([bytes.subarray(0, at), Buffer.of(byte), bytes.subarray(at)])),
  placed((bytes, at, count) => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + count)])),
  placed((bytes, at, count) => Buffer.concat([bytes.subarray(0, at + count), bytes.subarray(at)])),
  placed((bytes, at, byte) => Buffer.concat([bytes.subarray(0, at), Buffer.alloc(20, byte), bytes.subarray(at + 1)])),
  placed((bytes, at) => bytes.subarray(0, at)),
);
const changes = fc.array(change, { minLength: 1, maxLength: 4 });

/** Milliseconds of this process. A refusal is an answer, anything else that is thrown a failure. */
function timeOf(codec: Codec, expected: Expected, bytes: Uint8Array): number {
  const before = process.cpuUsage();
  try {
    codec.decode(expected, bytes);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    assert.ok(error.reason === 'BadRequest' || error.reason === 'RequestEntityTooLarge', `${error.reason}: ${error.message}`);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const goldens = readGoldens();
for (const [form, codec] of [['protobuf', createProtobufCodec(brandOf('kubernetes'))], ['json', createJsonCodec()]] as const) {
  test(`R2.6-01 every object in ${form}, broken in any way, is read or refused, and never holds the server`, () => {
    for (const { name, expected, [form]: bytes } of goldens) {
      fc.assert(
        fc.property(changes, (all) => {
          const broken = all.reduce((text, one) => one(text), bytes);
          // Other threads of the process may have been at work: what is slow is slow every time.
          const isSlow = (): boolean => timeOf(codec, expected, broken) > MAX_MS;
          assert.ok(!(isSlow() && isSlow() && isSlow()), `${name} takes more than ${MAX_MS} ms: ${broken.toString('base64')}`);
        }),
        { numRuns: runs },
      );
    }
  });
}
