import assert from 'node:assert/strict';
import { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'node:test';
import { brandOf } from '#api';
import type { Identified } from '#request';
import { bytesOverWebsocket } from './websocket-bytes.ts';

const headers = new Map(Object.entries({ 'sec-websocket-key': ['k'], 'sec-websocket-version': ['13'] }));
const request = { headers } as unknown as Identified;

class Client extends Duplex {
  readonly taken: Buffer[] = [];

  override _read(): void {}

  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    this.taken.push(bytes);
    done();
  }
}

function open(chunks: AsyncIterable<Uint8Array>): { readonly client: Client; readonly stop: AbortController; readonly closed: Promise<void> } {
  const stop = new AbortController();
  const reply = bytesOverWebsocket(request, brandOf('kubernetes'), chunks, stop);
  assert.ok('tunnel' in reply && reply.tunnel !== undefined);
  const client = new Client();
  return { client, stop, closed: reply.tunnel(client) };
}

const BEGINNING = [Buffer.from([0x82, 0]), Buffer.from([0x82, 1, 0x61])];
const GOODBYE = Buffer.from([0x88, 0x02, 0x03, 0xe8]);

test('bytes that end are whole, and those that break off are not', async () => {
  for (const breaksOff of [false, true]) {
    const { client, closed } = open(
      (async function* () {
        yield Buffer.from('a');
        await turn();
        if (breaksOff) throw new Error('gone');
      })(),
    );
    await closed;
    assert.deepEqual(client.taken, breaksOff ? BEGINNING : [...BEGINNING, GOODBYE]);
  }
});

test('a client that leaves, or has nothing more to say, ends what is sent to it', async () => {
  const leaves: readonly ((client: Client) => void)[] = [(client) => client.destroy(), (client) => client.push(null), (client) => client.push(Buffer.from([0x88, 0x80, 0, 0, 0, 0]))];
  for (const leave of leaves) {
    let fail = (_cause: Error): void => {};
    const endless = (async function* () {
      yield Buffer.from('a');
      await new Promise((_, reject) => (fail = reject));
    })();
    const { client, stop, closed } = open(endless);
    stop.signal.addEventListener('abort', () => fail(new Error('stopped')));
    await turn();
    leave(client);
    await closed;
    assert.equal(stop.signal.aborted, true);
    assert.deepEqual(client.taken.slice(0, 2), BEGINNING);
  }
});

test('who is refused is sent nothing, and nothing is read for them', () => {
  const stop = new AbortController();
  const unknown = { headers: new Map([...headers, ['sec-websocket-protocol', ['other']]]) } as unknown as Identified;
  const endless = { [Symbol.asyncIterator]: () => assert.fail() };
  assert.deepEqual([bytesOverWebsocket(unknown, brandOf('kubernetes'), endless, stop).status, stop.signal.aborted], [403, true]);
});
