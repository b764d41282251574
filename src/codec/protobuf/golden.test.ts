import { parseJson } from '#base';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf } from '#api';
import { decode } from '#schema';
import { createProtobufCodec } from './codec.ts';
import { readGoldens } from './test-support.ts';

const codec = createProtobufCodec(brandOf('kubernetes'));

for (const { name, expected, protobuf, json } of readGoldens()) {
  test(`R2.6-11 RX-14 ${name} as published: bytes and JSON say the same`, () => {
    const said = decode(expected.type, parseJson(json));
    const object = codec.decode(expected, protobuf);
    assert.deepEqual(object, said);
    assert.equal(Buffer.from(codec.encode(expected.type, said as never)).toString('hex'), protobuf.toString('hex'));
  });
}
