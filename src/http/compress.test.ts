import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { deferred } from '#base';
import type { Outlet, Received, Reply } from '#request';
import { compress } from './compress.ts';

const LONGEST_PLAIN = 128 * 1024;
const BODY = Buffer.alloc(LONGEST_PLAIN + 1, 'not all the same');
const HEADERS = { 'content-type': 'application/json', etag: '"1"' };

const from = (...accepted: string[]) => ({ headers: new Map([['accept-encoding', accepted]]) }) as unknown as Received;

/** What a reader of the response gets, without its coding. */
async function read(reply: Reply): Promise<Buffer> {
  assert.ok('stream' in reply);
  const chunks: Uint8Array[] = [];
  const out: Pick<Outlet, 'write' | 'drained'> = { write: (chunk) => chunks.push(chunk) % 2 === 0, drained: () => Promise.resolve() };
  await reply.stream(out as Outlet);
  return gunzipSync(Buffer.concat(chunks));
}

test('an answer of more than 128 KiB, in one piece or in many, is compressed and keeps its headers; a shorter one stays as it is', async () => {
  for (const body of [BODY, [BODY.subarray(0, 100_000), BODY.subarray(100_000)]]) {
    const reply = compress({ status: 200, headers: HEADERS, body }, from('gzip'));
    assert.deepEqual([reply.status, reply.headers], [200, { ...HEADERS, 'content-encoding': 'gzip', vary: 'Accept-Encoding' }]);
    assert.deepEqual(await read(reply), BODY);
  }
  for (const body of [BODY.subarray(1), [BODY.subarray(0, 100_000), BODY.subarray(100_001)]]) {
    const reply: Reply = { status: 200, headers: HEADERS, body };
    assert.equal(compress(reply, from('gzip')), reply);
  }
});

test('only a client that names gzip, and says nothing more of it, is sent it, and no answer is encoded twice', () => {
  const isEncoded = (...accepted: string[]): boolean => compress({ status: 200, headers: {}, body: BODY }, from(...accepted)).headers['content-encoding'] !== undefined;
  const takes = [['gzip'], ['br, gzip'], ['br', 'deflate,gzip ,br']];
  const refuses = [[], [''], ['br'], ['gzip;q=0'], ['gzip;q=0, identity'], ['*'], ['xgzip']];
  assert.deepEqual([takes, refuses].map((all) => all.map((accepted) => isEncoded(...accepted))), [takes.map(() => true), refuses.map(() => false)]);
  const encoded: Reply = { status: 200, headers: { 'content-encoding': 'br' }, body: BODY };
  assert.equal(compress(encoded, from('gzip')), encoded);
});

test('for a reader that takes nothing no more is made, compressed or sent, and it gets all of it in the end', async () => {
  const RUNS = 500;
  const run = randomBytes(65_536);
  let made = 0;
  async function* pieces(): AsyncGenerator<readonly Uint8Array[]> {
    for (; made < RUNS; made++) yield [run];
  }
  const { promise: taken, resolve: take } = deferred<void>();
  const { promise: full, resolve: fill } = deferred<void>();
  const sent: Uint8Array[] = [];
  const out: Pick<Outlet, 'write' | 'drained'> = { write: (chunk) => (sent.push(chunk), fill(), false), drained: () => taken };
  const reply = compress({ status: 200, headers: {}, pieces: pieces() }, from('gzip'));
  assert.ok('stream' in reply);
  const ended = reply.stream(out as Outlet);
  await full;
  for (let turn = 0; turn < 1_000; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(made < RUNS / 2, `${made} were made`);
  assert.equal(sent.length, 1);
  take();
  await ended;
  assert.equal(gunzipSync(Buffer.concat(sent)).length, RUNS * run.length);
});
