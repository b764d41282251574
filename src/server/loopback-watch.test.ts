import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
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

test('the events of another server arrive as bytes, cut anywhere', async () => {
  const sent = Buffer.from('{"type":"ADDED"}\n\n{"type":"MODIFIED","object":{"é":1}}\n{"type":"DELETED"}\n{"type":"cut o');
  for (let size = 1; size <= sent.length; size++) {
    const inPieces: Stream = async (out) => {
      for (let at = 0; at < sent.length; at += size) assert.equal(out.write(sent.subarray(at, at + size)), true);
    };
    assert.deepEqual(await allOf(await watch(inPieces)), [{ type: 'ADDED' }, { type: 'MODIFIED', object: { é: 1 } }, { type: 'DELETED' }]);
  }
});

test('another server that sends no events fails the watch', async () => {
  const events = await watch(async (out) => void out.write(Buffer.from('<html>\n')));
  await assert.rejects(allOf(events), { name: 'JsonSyntaxError' });
});

test('a refusal of another server is no watch', async () => {
  const stream: Stream = async (out) => void out.write(Buffer.from('gone'));
  const open = createLoopbackWatch(() => Promise.resolve({ status: 410, headers: {}, stream }), { name: 'part', agent: 'part' });
  const answer = await open({ path: '/apis/example.com/v1/gears?watch=1' });
  assert.ok('stream' in answer);
  assert.deepEqual([answer.status, Buffer.concat(await Readable.from(answer.stream).toArray()).toString()], [410, 'gone']);
});

test('an answer that is no watch is handed on', async () => {
  const open = createLoopbackWatch(() => Promise.resolve({ status: 410, headers: {}, body: Buffer.from('gone') }), { name: 'part', agent: 'part' });
  const answer = await open({ path: '/api/v1/pods?watch=1' });
  assert.ok('body' in answer);
  assert.deepEqual([answer.status, Buffer.from(answer.body).toString()], [410, 'gone']);
});
