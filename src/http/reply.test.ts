import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTurns, silentLog, systemClock } from '#base';
import { Incoming, RequestSource } from './received.ts';
import { sendReply } from './reply.ts';
import type { ResponseWriter } from './response-writer.ts';

class NoSource extends RequestSource {
  readonly rawHeaders: readonly string[] = [];
  readonly isGone = false;

  override onGone(): void {}

  protected override readBody(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array());
  }
}

/** A client so fast that what was written is gone within the turn: `write` asks to wait, and the wait ends at once. */
function fastWriter() {
  const state = { bytes: 0, isEnded: false };
  const writer: ResponseWriter = {
    isGone: false,
    bufferedBytes: 0,
    sendAll: () => assert.fail('long answers leave in batches'),
    sendHead: () => assert.fail('there is a body'),
    begin() {},
    flushHead() {},
    write: () => assert.fail('several slices leave in one write'),
    writeAll(chunks) {
      for (const { length } of chunks) state.bytes += length;
      return false;
    },
    onDrain: (run) => process.nextTick(run),
    end: () => void (state.isEnded = true),
    onFinish() {},
    cut() {},
    onGone() {},
  };
  return { writer, state };
}

const MEGABYTE = new Uint8Array(1024 * 1024);

for (const [how, body] of [
  ['in slices', Array.from({ length: 16 }, () => MEGABYTE)],
  ['in one piece', new Uint8Array(16 * MEGABYTE.length)],
] as const) {
  test(`a long answer ${how} leaves in batches and leaves turns of the event loop to others, however fast it is taken`, async () => {
    const received = new Incoming({ method: 'GET', target: '/', source: new NoSource(), facts: { hasBadClientCertificate: false }, clock: systemClock });
    const { writer, state } = fastWriter();
    const options = { log: silentLog, stallTimeoutMs: 1_000, openOutlets: new Set<never>(), isClosing: () => false };
    const turns = await countTurns(async () => sendReply({ status: 200, headers: {}, body }, received, writer, options));
    assert.deepEqual(state, { bytes: 16 * MEGABYTE.length, isEnded: true });
    assert.ok(turns >= 16, `${turns} turns`);
  });
}
