import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outlet, StreamReply } from '#request';
import { createLoopbackWatch, type LoopbackEvents } from './loopback-watch.ts';

type Stream = StreamReply['stream'];

/** What a part of the server hears of a watch. */
async function watch(stream: Stream, signal?: AbortSignal): Promise<AsyncIterable<readonly unknown[]>> {
  const open = createLoopbackWatch(() => Promise.resolve({ status: 200, headers: {}, stream }), { name: 'part', agent: 'part' });
  const answer: LoopbackEvents = await open({ path: '/api/v1/pods?watch=1', ...(signal && { signal }) });
  assert.ok('events' in answer);
  return answer.events;
}

const untilLeft = ({ signal }: Outlet): Promise<void> => new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
const take = (out: Outlet, ...events: readonly unknown[]): boolean => out.take?.(events) === true;

async function allOf(events: AsyncIterable<readonly unknown[]>): Promise<readonly unknown[]> {
  const heard: unknown[] = [];
  for await (const batch of events) heard.push(...batch);
  return heard;
}

test('a watch that ends, ends for its reader, who has heard everything by then', async () => {
  const events = Array.from({ length: 1_000 }, (_, i) => i);
  assert.deepEqual(await allOf(await watch(async (out) => void take(out, ...events))), events);
  const bitByBit = async (out: Outlet): Promise<void> => {
    for (const event of events) {
      take(out, event);
      if (event % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  assert.deepEqual(await allOf(await watch(bitByBit)), events);
});

test('a watch that fails, fails for its reader behind the last event', async () => {
  const heard: unknown[] = [];
  const events = await watch(async (out) => {
    take(out, 1, 2);
    throw new Error('broken');
  });
  await assert.rejects(async () => {
    for await (const batch of events) heard.push(...batch);
  }, /^Error: broken$/);
  assert.deepEqual(heard, [1, 2]);
});

test('a watch is told that its reader has left, or was told to', async () => {
  let left = 0;
  const endless: Stream = async (out) => {
    take(out, 1);
    await untilLeft(out);
    left++;
  };
  for await (const batch of await watch(endless)) {
    assert.deepEqual(batch, [1]);
    break;
  }
  const control = new AbortController();
  for await (const _ of await watch(endless, control.signal)) control.abort();
  assert.equal(left, 2);
});

test('a reader that is far too slow is given up', async () => {
  let isSlow = false;
  const events = await watch(async (out) => {
    while (take(out, 1)) assert.equal(out.signal.aborted, false);
    isSlow = out.signal.aborted;
  });
  await allOf(events);
  assert.equal(isSlow, true);
});

test('an answer that is no watch is handed on', async () => {
  const open = createLoopbackWatch(() => Promise.resolve({ status: 410, headers: {}, body: Buffer.from('gone') }), { name: 'part', agent: 'part' });
  const answer = await open({ path: '/api/v1/pods?watch=1' });
  assert.ok('body' in answer);
  assert.deepEqual([answer.status, Buffer.from(answer.body).toString()], [410, 'gone']);
});
