import { readdirSync, readFileSync } from 'node:fs';
import { brandOf, objectTypeOf, StatusBody } from '#api';
import { allKinds } from '#kinds';
import type { Expected } from '../codec.ts';

const brand = brandOf('kubernetes');
const folder = new URL('../../../test/golden/protobuf/', import.meta.url);

export interface Golden {
  readonly name: string;
  readonly expected: Expected;
  readonly protobuf: Buffer;
  /** The same object. */
  readonly json: Buffer;
}

/** File names are group, version and kind; the core group is called `core`. */
function typesByFile(): ReadonlyMap<string, Expected> {
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

/** Every published object. Throws for one that is of no built-in kind. */
export function readGoldens(): readonly Golden[] {
  const types = typesByFile();
  const names = readdirSync(folder).filter((name) => name.endsWith('.pb')).map((name) => name.slice(0, -'.pb'.length));
  return names.map((name) => {
    const expected = types.get(name);
    if (expected === undefined) throw new Error(`${name} is not a built-in kind`);
    return { name, expected, protobuf: readFileSync(new URL(`${name}.pb`, folder)), json: readFileSync(new URL(`${name}.json`, folder)) };
  });
}
