import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { websocketClose, websocketFrame, WebsocketListener, type WebsocketSignal } from './websocket.ts';

/** A frame as a client sends it: masked. */
function fromClient(opcode: number, payload: Uint8Array, { isMasked = true, isLast = true } = {}): Buffer {
  const mask = Buffer.from([0x11, 0x22, 0x33, 0x44]);
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = (isLast ? 0x80 : 0) | opcode;
  head[1] = (isMasked ? 0x80 : 0) | (length < 126 ? length : length < 65_536 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  if (!isMasked) return Buffer.concat([head, payload]);
  return Buffer.concat([head, mask, payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0))]);
}

const bytes = (length: number): Uint8Array => new Uint8Array(length).fill(0x61);

test('a message is one frame, whose head says how long it is', () => {
  const heads: readonly (readonly [number, readonly number[]])[] = [
    [0, [0x81, 0]],
    [125, [0x81, 125]],
    [126, [0x81, 126, 0, 126]],
    [65_535, [0x81, 126, 0xff, 0xff]],
    [65_536, [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]],
  ];
  for (const [length, head] of heads) {
    const frame = websocketFrame('text', bytes(length));
    assert.deepEqual([[...frame.subarray(0, head.length)], frame.length], [head, head.length + length]);
  }
  assert.equal(websocketFrame('binary', bytes(1))[0], 0x82);
  assert.deepEqual([...websocketClose(1000)], [0x88, 2, 0x03, 0xe8]);
});

test('pings, closes and broken frames are heard, messages are passed over, wherever the bytes are cut', () => {
  const sent = Buffer.concat([
    fromClient(0x1, bytes(3), { isLast: false }),
    fromClient(0x0, bytes(70_000)),
    fromClient(0xa, bytes(2)),
    fromClient(0x9, Buffer.from('who is there?')),
    fromClient(0x2, bytes(300)),
    fromClient(0x8, Buffer.from([0x03, 0xe8])),
    fromClient(0x9, Buffer.from('too late')),
  ]);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 40_000 })), (lengths) => {
      const listener = new WebsocketListener();
      const heard: WebsocketSignal[] = [];
      let at = 0;
      for (const length of [...lengths, sent.length]) heard.push(...listener.take(sent.subarray(at, (at += length))));
      assert.deepEqual(heard, [{ is: 'ping', payload: Buffer.from('who is there?') }, { is: 'close' }]);
    }),
    { numRuns: 100 },
  );
  const short = Buffer.concat([fromClient(0x9, Buffer.from('who is there?')), fromClient(0xa, bytes(2)), fromClient(0x1, bytes(130)), fromClient(0x9, bytes(0)), fromClient(0x8, Buffer.from([0x03, 0xe8]))]);
  for (let size = 1; size < short.length; size++) {
    const listener = new WebsocketListener();
    const heard: WebsocketSignal[] = [];
    for (let at = 0; at < short.length; at += size) heard.push(...listener.take(short.subarray(at, at + size)));
    assert.deepEqual(heard, [{ is: 'ping', payload: Buffer.from('who is there?') }, { is: 'ping', payload: Buffer.alloc(0) }, { is: 'close' }], `${size} bytes at a time`);
  }
  assert.deepEqual(new WebsocketListener().take(fromClient(0x1, bytes(3), { isMasked: false })), [{ is: 'error' }]);
  assert.deepEqual(new WebsocketListener().take(fromClient(0x9, bytes(126))), [{ is: 'error' }]);
});
