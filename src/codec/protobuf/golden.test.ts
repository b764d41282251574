import { parseJson } from '#base';
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { brandOf, objectTypeOf, StatusBody } from '#api';
import { allKinds } from '#kinds';
import { decode, type MessageType } from '#schema';
import { createProtobufCodec } from './codec.ts';

const brand = brandOf('kubernetes');
const codec = createProtobufCodec(brand);
const folder = new URL('../../../test/golden/protobuf/', import.meta.url);

/** File names are group, version and kind; the core group is called `core`. */
function typesByFile(): Map<string, { readonly apiVersion: string; readonly kind: string; readonly type: MessageType }> {
  const found = new Map([['core.v1.Status', { apiVersion: 'v1', kind: 'Status', type: StatusBody.type }]]);
  for (const { group, kind, versions, subresources } of allKinds) {
    for (const { carries } of Object.values(subresources ?? {})) {
      if (carries?.schema === undefined) continue;
      const apiVersion = brand.group(carries.group) === '' ? carries.version : `${brand.group(carries.group)}/${carries.version}`;
      const file = `${brand.group(carries.group) || 'core'}.${carries.version}.${carries.kind}`;
      found.set(file, { apiVersion, kind: carries.kind, type: objectTypeOf(carries.schema) });
    }
    for (const [version, { schema }] of Object.entries(versions)) {
      const spelled = brand.group(group);
      const apiVersion = spelled === '' ? version : `${spelled}/${version}`;
      found.set(`${spelled === '' ? 'core' : spelled}.${version}.${kind}`, { apiVersion, kind, type: objectTypeOf(schema) });
    }
  }
  return found;
}

const types = typesByFile();

for (const file of readdirSync(folder).filter((name) => name.endsWith('.pb'))) {
  const name = file.slice(0, -'.pb'.length);
  test(`R2.6-11 RX-14 ${name} as published: bytes and JSON say the same`, () => {
    const expected = types.get(name);
    assert.ok(expected, `${name} is not a built-in kind`);
    const bytes = readFileSync(new URL(file, folder));
    const json = decode(expected.type, parseJson(readFileSync(new URL(`${name}.json`, folder)))).value;
    const { object } = codec.decode(expected, bytes, 'strict');
    assert.deepEqual(object, json);
    assert.equal(Buffer.from(codec.encode(expected.type, json as never)).toString('hex'), bytes.toString('hex'));
  });
}
