import type { ApiResource, Client } from '#client';
import { UsageError } from '../usage-error.ts';
import { checkedName } from './checked-name.ts';
import { findResource } from './resources.ts';

/** Objects of one resource, named on the command line. */
export interface Named {
  readonly resource: ApiResource;
  /** Empty: all objects. */
  readonly names: readonly string[];
}

/** Parses `configmaps`, `cm,secrets`, `configmap a b` and `configmap/a secret/b` to resources and names. Throws `UsageError`. */
export async function nameObjects(client: Client, words: readonly string[]): Promise<readonly Named[]> {
  const [first, ...names] = words;
  if (first === undefined) throw new UsageError('which resource? For example: configmaps. orch api-resources lists what the server has');
  if (words.some((word) => word.includes('/'))) return Promise.all(words.map((word) => namePair(client, word, words.length > 1)));
  const types = first.split(',').filter((type) => type !== '');
  if (types.length === 0) throw new UsageError(`${JSON.stringify(first)} names no resource: orch api-resources lists what the server has`);
  return Promise.all(types.map(async (type) => ({ resource: await findResource(client, type), names: names.map(checkedName) })));
}

async function namePair(client: Client, word: string, hasOthers: boolean): Promise<Named> {
  const [type = '', name = '', ...more] = word.split('/');
  if (type === '' || name === '' || more.length > 0) {
    const mixed = hasOthers ? ': both forms, with and without /, cannot be mixed' : '';
    throw new UsageError(`${JSON.stringify(word)} is not <resource>/<name>${mixed}`);
  }
  return { resource: await findResource(client, type), names: [checkedName(name)] };
}
