import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { WebsocketOutlet } from './websocket-outlet.ts';

/** A client that takes what it is sent when the test says so. */
class Client extends Duplex {
  readonly taken: Buffer[] = [];
  #take: (() => void)[] = [];

  constructor() {
    super({ writableHighWaterMark: 16 });
  }

  override _read(): void {}

  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    this.#take.push(() => {
      this.taken.push(bytes);
      done();
    });
  }

  /** Takes everything, also what comes while it does. */
  async takeAll(): Promise<void> {
    while (this.#take.length > 0) {
      for (const take of this.#take.splice(0)) take();
      await turn();
    }
  }
}

const asIs = (piece: Uint8Array): Uint8Array => piece;
const PING = Buffer.from([0x89, 0x82, 0, 0, 0, 0, 0x68, 0x69]);
const PONG = Buffer.from([0x8a, 0x02, 0x68, 0x69]);
const MUCH = Buffer.alloc(100);

function open(stallTimeoutMs?: number): { readonly client: Client; readonly out: WebsocketOutlet } {
  const client = new Client();
  return { client, out: new WebsocketOutlet(client, asIs, stallTimeoutMs) };
}

test('who writes waits until the client has taken what there is; pings that it does not hear the answers of are not answered', async () => {
  const { client, out } = open();
  for (let round = 0; round < 2; round++) {
    client.push(PING);
    await turn();
    await client.takeAll();
    assert.deepEqual(client.taken.splice(0), [PONG]);
    assert.equal(out.write(MUCH), false);
    let hasRoom = false;
    const drained = Promise.all([out.drained(), out.drained()]).then(() => (hasRoom = true));
    for (let pings = 0; pings < 3; pings++) client.push(PING);
    await turn();
    assert.deepEqual([client.writableLength, hasRoom], [MUCH.length, false]);
    await client.takeAll();
    await drained;
    assert.deepEqual(client.taken.splice(0), [MUCH]);
    await out.drained();
  }
});

test('a client that goes away is written to no longer, and nobody waits for it', async () => {
  const goes: readonly ((client: Client) => void)[] = [(client) => client.destroy(), (client) => client.destroy(new Error('reset'))];
  for (const go of goes) {
    const { client, out } = open();
    assert.equal(out.write(MUCH), false);
    const drained = out.drained();
    go(client);
    await Promise.all([drained, out.closed]);
    assert.deepEqual([out.signal.aborted, out.write(MUCH)], [true, true]);
    await out.drained();
  }
});

test('a client that does not take what waits for it is disconnected, also where it took what came before or its watch has ended meanwhile; one that takes all is not', async (t) => {
  const awake = setInterval(() => {}, 60_000);
  t.after(() => clearInterval(awake));
  const taking = open(1);
  taking.out.write(MUCH);
  await taking.client.takeAll();
  for (const isEnded of [false, true]) {
    const { client, out } = open(1);
    out.write(MUCH);
    await client.takeAll();
    out.write(MUCH);
    const drained = out.drained();
    if (isEnded) out.shutdown();
    await Promise.all([drained, out.closed]);
    assert.deepEqual([client.destroyed, out.signal.aborted], [true, true]);
  }
  assert.deepEqual([taking.client.destroyed, taking.out.signal.aborted], [false, false]);
});

test('a watch ends when its client has nothing more to say, says goodbye, or says what makes no sense', async () => {
  const said: readonly (readonly [Buffer | null, readonly Buffer[]])[] = [
    [null, []],
    [Buffer.from([0x88, 0x80, 0, 0, 0, 0]), [Buffer.from([0x88, 0x02, 0x03, 0xe8])]],
    [Buffer.from([0x81, 0x01, 0x61]), [Buffer.from([0x88, 0x02, 0x03, 0xea])]],
  ];
  for (const [bytes, answer] of said) {
    const { client, out } = open();
    client.push(bytes);
    await turn();
    assert.equal(out.signal.aborted, true);
    await client.takeAll();
    assert.deepEqual(client.taken, answer);
  }
});

test('the connection is closed when the client has taken the goodbye, behind which no ping is answered', async () => {
  const { client, out } = open();
  out.write(MUCH);
  out.end();
  out.end();
  client.push(PING);
  await turn();
  assert.equal(client.destroyed, false);
  await client.takeAll();
  await out.closed;
  assert.deepEqual(client.taken, [MUCH, Buffer.from([0x88, 0x02, 0x03, 0xe8])]);
});
