import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { sendingClient, type Send } from './sending-client.ts';

const ORIGIN = 'https://server.example';
const REQUEST = { method: 'POST', path: '/' } as const;
const answering = (...chunks: readonly string[]): Send => () => Promise.resolve({ status: 200, headers: {}, chunks: Readable.from(chunks.map((chunk) => Buffer.from(chunk))) });

test('a response is read as a whole, up to its bound', async () => {
  const { status, body } = await sendingClient(ORIGIN, answering('ab', 'cd'), 4).request(REQUEST);
  assert.deepEqual([status, Buffer.from(body).toString()], [200, 'abcd']);
  await assert.rejects(sendingClient(ORIGIN, answering('ab', 'cd'), 3).request(REQUEST), { code: 'too-large', message: `${ORIGIN} answered with more than 3 bytes` });
});

test('what goes wrong is a failure of the transport', async () => {
  const failing = (cause: Error): Send => () => Promise.reject(cause);
  await assert.rejects(sendingClient(ORIGIN, failing(new Error('gone')), 3).request(REQUEST), { name: 'TransportFailure', code: 'unreachable' });
  const signal = AbortSignal.abort();
  await assert.rejects(sendingClient(ORIGIN, failing(signal.reason as Error), 3).request({ ...REQUEST, signal }), { name: 'TransportFailure', code: 'aborted' });
});
