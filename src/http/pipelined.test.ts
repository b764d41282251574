import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import type { Received, Reply } from '#request';
import { openListener } from './listener.ts';
import { bytes } from './test-support.ts';

/** Answers with the name of the request and the length of its body; `/slow` a turn later. */
async function echo(received: Received): Promise<Reply> {
  const body = await received.body(1_000);
  if (received.path === '/slow') await new Promise((resolve) => setImmediate(resolve));
  const said = bytes(`${received.path} ${body.length};`);
  // In parts that are too large to be joined, as lists are.
  if (received.path === '/parts') return { status: 200, headers: {}, body: [bytes('x'.repeat(70_000)), said] };
  return { status: 200, headers: {}, body: said };
}

/** All that comes back until the server closes. */
const say = (port: number, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const heard: Buffer[] = [];
    const socket = connect({ host: '127.0.0.1', port });
    socket.on('data', (chunk: Buffer) => heard.push(chunk)).on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(heard).toString('latin1')));
    socket.write(text, 'latin1');
  });

const post = (path: string, more: string): string => `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n${more}\r\nab`;

test('a request that waits for leave to send its body, behind another one, does not get that leave into its answer', async () => {
  const listener = await openListener({ host: '127.0.0.1', port: 0, handle: echo });
  try {
    const heard = await say(listener.port, post('/slow', '') + post('/parts', 'Expect: 100-continue\r\n') + post('/last', 'Connection: close\r\n'));
    const bodies = heard.split(/HTTP\/1\.1 \d{3} [^]*?\r\n\r\n/).map((body) => body.replace(/x+/, ''));
    assert.deepEqual(bodies.filter((body) => body !== ''), ['/slow 2;', '/parts 2;', '/last 2;']);
    assert.deepEqual([...heard.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, code]) => code), ['200', '200', '200']);
  } finally {
    await listener.close({ graceMs: 0 });
  }
});

test('it gets leave when it is its turn and the answer has not begun', async () => {
  const listener = await openListener({ host: '127.0.0.1', port: 0, handle: echo });
  const socket = connect({ host: '127.0.0.1', port: listener.port });
  try {
    const heard: string[] = [];
    const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.setEncoding('latin1').on('data', (text: string) => {
      heard.push(text);
      if (text.includes(' 100 Continue')) socket.write('ab');
    });
    socket.write(`${post('/slow', '')}${post('/', 'Expect: 100-continue\r\nConnection: close\r\n').slice(0, -2)}`);
    await ended;
    assert.deepEqual([...heard.join('').matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, code]) => code), ['200', '100', '200']);
  } finally {
    socket.destroy();
    await listener.close({ graceMs: 0 });
  }
});
