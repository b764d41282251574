import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { openListener, type Listener } from './listener.ts';
import { textReply } from './test-support.ts';

const asked: string[] = [];

const listen = (lingerMs: number): Promise<Listener> =>
  openListener({
    host: '127.0.0.1',
    port: 0,
    limits: { lingerMs },
    async handle({ path }) {
      asked.push(path);
      return textReply('refused', 403);
    },
  });

// More than the network takes from a client to which nobody listens.
const HALF = 'x'.repeat(16_000_000);
const HEAD = `POST /refused HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: ${2 * HALF.length}\r\n\r\n`;

test('a client that is answered while it sends its body can go on to the end, and nothing behind that is done', { timeout: 30_000 }, async () => {
  const listener = await listen(60_000);
  try {
    const client = connect({ port: listener.port, host: '127.0.0.1', allowHalfOpen: true });
    let answer = '';
    client.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    client.write(HEAD + HALF);
    await once(client, 'end');
    assert.match(answer, /^HTTP\/1\.1 403 [^]*refused$/);
    client.end(`${HALF}GET /behind HTTP/1.1\r\nHost: x\r\n\r\n`);
    assert.deepEqual(await once(client, 'close'), [false]);
    await listener.close({ graceMs: 60_000 });
    assert.deepEqual(asked.splice(0), ['/refused']);
  } finally {
    await listener.close({ graceMs: 0 });
  }
});

test('one that does not come to an end is cut off', { timeout: 30_000 }, async () => {
  const listener = await listen(1);
  try {
    const client = connect({ port: listener.port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {});
    client.write(HEAD);
    await once(client.resume(), 'end');
    const goOn = (): void => void client.write('x', (failure) => failure ?? setImmediate(goOn));
    const closed = new Promise((resolve) => client.once('close', resolve));
    goOn();
    await closed;
  } finally {
    await listener.close({ graceMs: 0 });
  }
});
