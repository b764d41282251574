import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { StillClock } from '#base';
import { TurnedClock } from '#testing';
import { TransportFailure } from './failure.ts';
import type { Send } from './sending-client.ts';
import { openWebhook } from './webhook-call.ts';

test('integers that a double cannot hold go to a webhook and come back as they are', async (t) => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      asked.push(Buffer.concat(chunks).toString());
      response.end('{"count":9007199254740995}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const webhook = openWebhook({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, isVerified: true, namespace: 'default' });
  t.after(() => {
    webhook.close();
    server.close();
  });
  assert.deepEqual(await webhook.call({ count: 9007199254740993n }, { timeoutMs: 10_000 }), { count: 9007199254740995n });
  assert.deepEqual(asked, ['{"count":9007199254740993}']);
});

test('the address of a webhook is called by its plain path, or by the path that is given as it stands, with what a call adds', async (t) => {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    request.resume().on('end', () => response.end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const webhooks = [[''], ['//base//check/'], ['/base', '//deep/']].map(([base, path]) =>
    openWebhook({ server: `${address}${base}`, isVerified: true, namespace: '' }, path === undefined ? {} : { path }),
  );
  t.after(() => {
    for (const webhook of webhooks) webhook.close();
    server.close();
  });
  for (const webhook of webhooks) await webhook.call({}, { timeoutMs: 10_000, query: 'timeout=1s' });
  assert.deepEqual(asked, ['/?timeout=1s', '/base/check?timeout=1s', '//deep/?timeout=1s']);
});

test('a slow webhook is asked by many at once', async (t) => {
  const waiting: (() => void)[] = [];
  const server = createServer((request, response) => {
    request.resume();
    waiting.push(() => response.end('{}'));
    if (waiting.length === 32) for (const answer of waiting) answer();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const webhook = openWebhook({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, isVerified: true, namespace: '' });
  t.after(() => {
    webhook.close();
    server.closeAllConnections();
    server.close();
  });
  await Promise.all(Array.from({ length: 32 }, () => webhook.call({}, { timeoutMs: 5_000 })));
});

test('a webhook in trouble is asked again when it says, and no longer than the call may take', async (t) => {
  const answers: (readonly [status: number, retryAfter?: string])[] = [];
  let asked = 0;
  const server = createServer((request, response) => {
    const [status, after] = answers[Math.min(asked++, answers.length - 1)] ?? [200];
    request.resume().on('end', () => response.writeHead(status, after === undefined ? {} : { 'retry-after': after }).end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const clock = new TurnedClock();
  const webhook = openWebhook({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, isVerified: true, namespace: '' }, { clock });
  t.after(() => {
    webhook.close();
    server.close();
  });
  const outcome = async (...given: typeof answers): Promise<readonly unknown[]> => {
    answers.splice(0, answers.length, ...given);
    asked = 0;
    const answer = await webhook.call({}, { timeoutMs: 10_000 }).catch((failure: unknown) => (failure instanceof TransportFailure ? (failure.status ?? failure.code) : failure));
    return [answer, asked];
  };
  assert.deepEqual(await outcome([429, '0'], [503, '0'], [200]), [{}, 3]);
  assert.deepEqual(await outcome([500, '0']), [500, 11]);
  for (const once of [[500], [404, '0'], [503, 'soon'], [200, '0']] as const) assert.equal((await outcome(once))[1], 1, String(once));
  const arrived = once(server, 'request');
  const late = outcome([503, '60']);
  await arrived;
  clock.turn(10_000);
  assert.deepEqual((await late)[0], 'timeout');
});

test('nothing of a call lasts longer than it does, whatever came of it: no alarm, and nobody who listens for its caller', async () => {
  const clock = new StillClock();
  const signals: (AbortSignal | undefined)[] = [];
  const answer = { status: 200, headers: {}, chunks: Readable.from([Buffer.from('{}')]) };
  const outcomes = [Promise.resolve(answer), Promise.reject(new Error('gone'))] as const;
  const told: unknown[] = [];
  for (const outcome of outcomes) {
    const send: Send = ({ signal }) => {
      signals.push(signal);
      return outcome;
    };
    const webhook = openWebhook({ server: 'https://server.example', isVerified: true, namespace: '' }, { clock, send });
    told.push(await webhook.call({}, { timeoutMs: 10_000, signal: new AbortController().signal }).catch((failure: TransportFailure) => failure.code));
    assert.equal(clock.pending, 0);
  }
  assert.deepEqual([told, signals.map((signal) => signal?.aborted)], [[{}, 'unreachable'], [true, true]]);
});
