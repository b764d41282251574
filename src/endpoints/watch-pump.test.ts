import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deferred, type Deferred } from '#base';
import type { Outlet } from '#request';
import { pumpFrames } from './watch-pump.ts';

const FRAME_BYTES = 1_000;
const MAX_BYTES = 50_000;
const ROOM_BYTES = 4_000;

/** Takes some bytes, says that this is enough, and what comes then waits until its client reads. */
class SlowOutlet implements Outlet {
  readonly numbers: number[] = [];
  heldBytes = 0;
  readonly #ending = new AbortController();
  #caughtUp: Deferred<void> | undefined = undefined;

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  open(): void {}

  write(chunk: Uint8Array): boolean {
    this.numbers.push(new DataView(chunk.buffer).getUint32(0));
    this.heldBytes += chunk.length;
    return this.heldBytes < ROOM_BYTES;
  }

  drained(): Promise<void> {
    this.#caughtUp ??= deferred<void>();
    return this.heldBytes === 0 ? Promise.resolve() : this.#caughtUp.promise;
  }

  shutdown(): void {
    this.#ending.abort();
  }

  /** The client takes all that is held here. */
  async read(): Promise<void> {
    this.heldBytes = 0;
    this.#caughtUp?.resolve();
    this.#caughtUp = undefined;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function frameOf(number: number): Uint8Array {
  const frame = new Uint8Array(FRAME_BYTES);
  new DataView(frame.buffer).setUint32(0, number);
  return frame;
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

test('a watcher that never reads is given up at its bound, having been sent a gapless beginning', async () => {
  const out = new SlowOutlet();
  const pump = pumpFrames(out, MAX_BYTES);
  let sent = 0;
  while (pump.push([frameOf(sent)])) sent++;
  assert.equal(sent, (ROOM_BYTES + MAX_BYTES) / FRAME_BYTES);
  assert.equal(pump.push([frameOf(sent)]), false);
  assert.equal(pump.drained(), undefined, 'nobody waits for a watcher that was given up');
  await out.read();
  assert.deepEqual(out.numbers, upTo(ROOM_BYTES / FRAME_BYTES));
});

test('what waits for a slow watcher stays where it is counted: it is handed over only as there is room', async () => {
  const out = new SlowOutlet();
  const pump = pumpFrames(out, MAX_BYTES);
  const count = 40;
  for (let number = 0; number < count; number++) assert.equal(pump.push([frameOf(number)]), true);
  for (let read = ROOM_BYTES; read < count * FRAME_BYTES; read += ROOM_BYTES) {
    await out.read();
    assert.equal(out.heldBytes, ROOM_BYTES);
  }
  await out.read();
  assert.deepEqual(out.numbers, upTo(count));
  await pump.drained();
  assert.equal(pump.drained(), undefined, 'there is no queue any more');
  assert.equal(pump.push([frameOf(count)]), true);
  assert.equal(out.heldBytes, FRAME_BYTES);
});

test('what waited counts until the watcher has taken it, however long it goes on', async () => {
  const out = new SlowOutlet();
  const pump = pumpFrames(out, MAX_BYTES);
  let sent = 0;
  let taken = 0;
  while (pump.push([frameOf(sent++)])) {
    // Two come for each that is read.
    if (sent % (2 * (ROOM_BYTES / FRAME_BYTES)) !== 0) continue;
    await out.read();
    taken += ROOM_BYTES;
    assert.ok(sent * FRAME_BYTES - taken <= MAX_BYTES + ROOM_BYTES + FRAME_BYTES, `${sent * FRAME_BYTES - taken} bytes are kept`);
  }
  assert.deepEqual(out.numbers, upTo(out.numbers.length));
});

test('a watcher that keeps pace goes on, however much has gone through its queue', async () => {
  const out = new SlowOutlet();
  const pump = pumpFrames(out, MAX_BYTES);
  let sent = 0;
  const push = (bytes: number): void => {
    for (let more = bytes / FRAME_BYTES; more > 0; more--) assert.equal(pump.push([frameOf(sent++)]), true);
  };
  push(ROOM_BYTES + MAX_BYTES);
  for (let taken = 0; taken < 2 * MAX_BYTES; taken += ROOM_BYTES) {
    await out.read();
    push(ROOM_BYTES);
  }
  assert.deepEqual(out.numbers, upTo(out.numbers.length));
});

test('what waits when the watch ends is sent all the same, the error that ends it last, as the watcher takes it', async () => {
  const out = new SlowOutlet();
  const pump = pumpFrames(out, MAX_BYTES);
  const count = 20;
  for (let number = 0; number < count; number++) pump.push([frameOf(number)]);
  let isDrained = false;
  const drained = pump.drained()?.then(() => (isDrained = true));
  out.shutdown();
  for (let read = 0; read < count * FRAME_BYTES; read += ROOM_BYTES) {
    assert.equal(isDrained, false);
    await out.read();
  }
  await drained;
  assert.deepEqual([isDrained, out.numbers], [true, upTo(count)]);
});
