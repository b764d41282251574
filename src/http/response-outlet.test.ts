import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OUTLET_HIGH_WATER_BYTES, ResponseOutlet } from './response-outlet.ts';
import type { ResponseWriter } from './response-writer.ts';

/** An outlet on a network that takes nothing until `drain`; `sent`: what was handed to it, in order. */
function slowOutlet(): { readonly outlet: ResponseOutlet; readonly sent: readonly (number | 'head')[]; drain(): void } {
  const sent: (number | 'head')[] = [];
  let drained = (): void => {};
  const writer: Partial<ResponseWriter> & { bufferedBytes: number } = {
    isGone: false,
    bufferedBytes: 0,
    flushHead: () => void sent.push('head'),
    write(chunk) {
      sent.push(chunk.length);
      writer.bufferedBytes += chunk.length;
      return false;
    },
    onDrain: (run) => (drained = run),
    onGone: () => {},
  };
  const outlet = new ResponseOutlet(writer as ResponseWriter, 60_000);
  return {
    outlet,
    sent,
    drain() {
      writer.bufferedBytes = 0;
      drained();
    },
  };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

test('the head leaves without a body when the stream is opened, once', async () => {
  const { outlet, sent } = slowOutlet();
  await nextTurn();
  assert.deepEqual(sent, []);
  outlet.open();
  await nextTurn();
  assert.deepEqual(sent, ['head']);
  outlet.write(Buffer.alloc(10));
  await nextTurn();
  assert.deepEqual(sent, ['head', 10]);
});

test('what is written while the network takes nothing follows in one piece, and a reader that has caught up is sent nothing', async () => {
  const { outlet, sent, drain } = slowOutlet();
  outlet.write(Buffer.alloc(OUTLET_HIGH_WATER_BYTES));
  await nextTurn();
  assert.deepEqual(sent, [OUTLET_HIGH_WATER_BYTES]);
  for (let i = 0; i < 3; i++) assert.equal(outlet.write(Buffer.alloc(100)), false);
  let isDrained = false;
  void outlet.drained().then(() => (isDrained = true));
  await nextTurn();
  assert.deepEqual([sent.length, isDrained], [1, false]);
  drain();
  await nextTurn();
  assert.deepEqual([sent, isDrained], [[OUTLET_HIGH_WATER_BYTES, 300], true]);
  outlet.write(Buffer.alloc(OUTLET_HIGH_WATER_BYTES));
  await nextTurn();
  drain();
  await nextTurn();
  assert.deepEqual(sent, [OUTLET_HIGH_WATER_BYTES, 300, OUTLET_HIGH_WATER_BYTES]);
});

test('the next piece does not wait for one that the network has not confirmed', async () => {
  const { outlet, sent } = slowOutlet();
  for (const bytes of [60_000, 60_000]) {
    outlet.write(Buffer.alloc(bytes));
    await nextTurn();
  }
  assert.deepEqual(sent, [60_000, 60_000]);
});
