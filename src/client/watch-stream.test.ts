import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from './client.ts';
import { exchangeLocal } from './exchange-local.ts';

const RESOURCE = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', isNamespaced: true, verbs: [] } as const;
const added = (name: string): object => ({ type: 'ADDED', object: { metadata: { name } } });
const gone = { type: 'ERROR', object: { kind: 'Status', reason: 'Expired', message: 'too old', code: 410 } };

async function* given(batches: readonly (readonly unknown[])[]): AsyncGenerator<readonly unknown[]> {
  yield* batches;
}

const watching = (...batches: readonly (readonly unknown[])[]): ReturnType<typeof createClient> => {
  const nothing = { status: 404, headers: {}, body: new Uint8Array(0) };
  return createClient(exchangeLocal(() => Promise.resolve(nothing), {}, () => Promise.resolve({ events: given(batches) })));
};

describe('a watch within the process', () => {
  it('hands over together what came together, without what it does not know', async () => {
    const client = watching([added('a'), { type: 'LATER', object: {} }, added('b')], [{ type: 'LATER', object: {} }], [added('c')]);
    const seen: string[][] = [];
    for await (const batch of await client.at(RESOURCE).watchBatches()) seen.push(batch.map(({ object }) => object.metadata.name ?? ''));
    assert.deepEqual(seen, [['a', 'b'], ['c']]);
  });

  it('tells what came before a failure, and nothing that came behind it', async () => {
    const seen: string[] = [];
    const all = async (): Promise<void> => {
      for await (const { object } of await watching([added('a'), gone, added('b')]).at(RESOURCE).watch()) seen.push(object.metadata.name ?? '');
    };
    await assert.rejects(all, { reason: 'Expired', message: 'too old' });
    assert.deepEqual(seen, ['a']);
  });
});
