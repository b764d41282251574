import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '#base';
import type { Client } from '#client';
import { watchEvents } from './watch-events.ts';

const object = (version: string): object => ({ metadata: { resourceVersion: version } });
const table = (version: string): object => ({ kind: 'Table', rows: [{ object: object(version) }] });
const gone = { kind: 'Status', status: 'Failure', reason: 'Expired', message: 'too old', code: 410 };

interface Followed {
  readonly heard: readonly unknown[];
  readonly asked: readonly string[];
  readonly failure: unknown;
  /** Milliseconds between streams, where there was a pause. */
  readonly pauses: readonly number[];
}

/** Follows streams that end one after the other; what is heard, and what was asked for. */
async function follow(...streams: readonly (readonly object[])[]): Promise<Followed> {
  const pauses: number[] = [];
  const clock: Clock = {
    nowMs: () => 0,
    after(delayMs, run) {
      pauses.push(delayMs);
      queueMicrotask(run);
      return () => {};
    },
  };
  const ending = new AbortController();
  const asked: string[] = [];
  const heard: unknown[] = [];
  async function* stream(path: string): AsyncGenerator<readonly unknown[]> {
    asked.push(new URL(path, 'http://a').searchParams.get('resourceVersion') ?? '');
    const events = streams[asked.length - 1];
    if (events === undefined) ending.abort();
    else for (const event of events) yield [event];
  }
  const client = { follow: ({ path }: { readonly path: string }) => Promise.resolve(stream(path)) } as unknown as Client;
  try {
    for await (const { object: one } of watchEvents(client, { path: '/api/v1/pods', accept: 'application/json' }, '7', ending.signal, clock)) heard.push(one);
  } catch (failure) {
    return { heard, asked, failure, pauses };
  }
  return { heard, asked, failure: undefined, pauses };
}

test('a stream that ends is taken up behind the last thing that it told, be it an object, a row or a sign of progress', async () => {
  const { heard, asked, failure } = await follow([{ type: 'ADDED', object: object('8') }], [], [{ type: 'MODIFIED', object: table('9') }], [{ type: 'BOOKMARK', object: object('12') }]);
  assert.deepEqual([heard, asked, failure], [[object('8'), table('9')], ['7', '8', '8', '9', '12'], undefined]);
});

test('what the server says it cannot go on with is a failure', async () => {
  const { heard, asked, failure } = await follow([{ type: 'ADDED', object: object('8') }, { type: 'ERROR', object: gone }]);
  assert.deepEqual([heard, asked], [[object('8')], ['7']]);
  assert.ok(failure instanceof Error && 'code' in failure);
  assert.deepEqual([failure.message, failure.code], ['too old', 410]);
});

test('streams that end without a word are opened ever more seldom, until one says something', async () => {
  const word = { type: 'BOOKMARK', object: object('8') };
  assert.deepEqual((await follow([word], [word], [word])).pauses, []);
  assert.deepEqual((await follow([], [], [], [], [word], [], [])).pauses, [200, 400, 800, 200, 400]);
  assert.equal(Math.max(...(await follow(...Array.from({ length: 50 }, () => []))).pauses), 30_000);
});

test('what tells no version leaves the place as it is, and who follows no longer keeps nothing alive', async () => {
  const alive = (): number => process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length;
  const before = alive();
  assert.deepEqual((await follow([{ type: 'ADDED', object: object('8') }, { type: 'ADDED', object: {} }])).asked, ['7', '8']);
  assert.equal(alive(), before);
});
