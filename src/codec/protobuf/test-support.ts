import { readdirSync, readFileSync } from 'node:fs';
import { brandOf, objectTypeOf } from '#api';
import { allKinds } from '#kinds';
import type { MessageType } from '#schema';
import type { Expected } from '../codec.ts';
import { GOLDEN_MESSAGES } from './golden-messages.fixture.ts';

const brand = brandOf('kubernetes');
const folder = new URL('../../../test/golden/protobuf/', import.meta.url);

/** One golden object, in both encodings. */
export interface Golden {
  readonly name: string;
  readonly expected: Expected;
  readonly protobuf: Buffer;
  /** The same object as JSON. */
  readonly json: Buffer;
}

/** The types by the names of golden files: group, version and kind; the core group is called `core`. */
function typesByFile(): ReadonlyMap<string, Expected> {
  const found = new Map<string, Expected>();
  const add = (neutral: string, version: string, kind: string, type: MessageType): void => {
    const group = brand.group(neutral);
    const apiVersion = group === '' ? version : `${group}/${version}`;
    found.set(`${group || 'core'}.${version}.${kind}`, { apiVersion, kind, type });
  };
  for (const { group, kind, versions, subresources } of allKinds) {
    for (const { carries } of Object.values(subresources ?? {})) {
      if (carries?.schema !== undefined) add(carries.group, carries.version, carries.kind, objectTypeOf(carries.schema));
    }
    for (const [version, { schema }] of Object.entries(versions)) add(group, version, kind, objectTypeOf(schema));
  }
  for (const row of GOLDEN_MESSAGES) add(...row);
  return found;
}

/** All golden objects. Throws for one whose type is unknown. */
export function readGoldens(): readonly Golden[] {
  const types = typesByFile();
  const names = readdirSync(folder).filter((name) => name.endsWith('.pb')).map((name) => name.slice(0, -'.pb'.length));
  return names.map((name) => {
    const expected = types.get(name);
    if (expected === undefined) throw new Error(`the message of ${name} is not known`);
    return { name, expected, protobuf: readFileSync(new URL(`${name}.pb`, folder)), json: readFileSync(new URL(`${name}.json`, folder)) };
  });
}
