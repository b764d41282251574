import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiResource, Client } from '#client';
import { awaitDeparture } from './await-departure.ts';
import type { Remains } from './remains.ts';

const remains = (plural: string, count: number): Remains => ({
  resource: { plural } as ApiResource,
  count,
  finalizers: new Map(),
  unheld: 0,
  graceMs: 0,
  resourceVersion: '1',
});

/** A client whose watches, by resource, tell what the test says. */
function openClient() {
  const watches = new Map<string, (type: string) => void>();
  async function* events(plural: string, signal: AbortSignal): AsyncGenerator<{ type: string }> {
    for (;;) {
      const type = await new Promise<string>((resolve) => {
        watches.set(plural, resolve);
        signal.addEventListener('abort', () => resolve(''));
      });
      if (signal.aborted) return;
      yield { type };
    }
  }
  const metadataAt = ({ plural }: ApiResource) => ({ watch: ({ signal }: { readonly signal: AbortSignal }) => Promise.resolve(events(plural, signal)) });
  const tell = async (plural: string, type: string): Promise<void> => {
    watches.get(plural)?.(type);
    await settled();
  };
  return { client: { metadataAt } as unknown as Client, tell };
}

/** Everything that can happen without anybody's doing has happened. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('the wait ends when all objects of one kind have left, and not with each of them', async () => {
  const { client, tell } = openClient();
  let isOver = false;
  const over = awaitDeparture(client, 'a', [remains('pods', 3), remains('configmaps', 2)], new AbortController().signal).then(() => (isOver = true));
  await settled();
  for (const [plural, type] of [['pods', 'DELETED'], ['configmaps', 'DELETED'], ['pods', 'MODIFIED'], ['pods', 'DELETED'], ['pods', 'MODIFIED']] as const) {
    await tell(plural, type);
    assert.equal(isOver, false);
  }
  await tell('pods', 'DELETED');
  await over;
});

test('the wait ends with its signal', async () => {
  const { client } = openClient();
  const ending = new AbortController();
  const over = awaitDeparture(client, 'a', [remains('pods', 1)], ending.signal);
  await settled();
  ending.abort();
  await over;
});
