import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { badRequest } from '#errors';
import type { Received, Reply } from '#request';
import { exchange } from './in-process.ts';
import { askHttp1, askOn, openHttp2, withListener, type Answer, type Ask } from './test-support.ts';

const LIMIT = 100_000;
/** Around what is sent in one piece, joined, split or compressed. */
const sizes = fc.constantFrom(0, 1, 16_384, 16_385, 65_536, 65_537, 140_000, 262_144, 262_145, 600_000);
const asks = fc.record({
  method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH'),
  kind: fc.constantFrom('whole', 'parts', 'pieces', 'refused', 'broken'),
  status: fc.constantFrom(200, 201, 204, 304, 404, 500),
  size: sizes,
  sent: fc.constantFrom(0, 1, 65_536, 65_537, LIMIT, LIMIT + 1),
  isZipped: fc.boolean(),
});

async function answer(received: Received): Promise<Reply> {
  const { query } = received;
  const said = await received.body(LIMIT);
  received.warn(`"${said.length}" bytes`);
  const kind = query.get('kind');
  if (kind === 'refused') throw badRequest('refused');
  const size = Number(query.get('size'));
  const body = Buffer.alloc(size, 'abc');
  const head = { status: Number(query.get('status')), headers: { 'content-type': 'text/plain', 'x-two': ['a', 'b'], 'x-method': received.method } };
  if (kind === 'broken') return { ...head, headers: { 'x-wrong': 'a\nb' }, body };
  const parts = [body.subarray(0, size >> 1), body.subarray(size >> 1)];
  if (kind === 'parts') return { ...head, body: parts };
  if (kind !== 'pieces' || head.status !== 200) return { ...head, body };
  async function* pieces(): AsyncGenerator<readonly Uint8Array[]> {
    for (const part of parts) yield [part];
  }
  return { ...head, pieces: pieces() };
}

/** What a client sees, however it asked. */
const seen = ({ status, headers, body }: Pick<Answer, 'status' | 'body'> & { readonly headers: Record<string, unknown> }): unknown => [
  status,
  ['content-type', 'content-encoding', 'x-two', 'x-method', 'warning', 'x-wrong'].map((name) => headers[name]),
  body.toString('latin1'),
];

test('a request is answered alike over HTTP/1.1, over HTTP/2 and in the same process', { timeout: 60_000 }, () =>
  withListener(answer, {}, async ({ port }) => {
    const session = openHttp2(port);
    await fc.assert(
      fc.asyncProperty(asks, async ({ method, kind, status, size, sent, isZipped }) => {
        const takesBody = method !== 'GET' && method !== 'HEAD';
        const ask: Ask = {
          method,
          path: `/?kind=${kind}&status=${status}&size=${size}`,
          headers: isZipped ? { 'accept-encoding': 'gzip' } : {},
          ...(takesBody ? { body: 'x'.repeat(sent) } : {}),
        };
        const first = seen(await askHttp1(port, ask));
        assert.deepEqual(seen(await askOn(session, ask)), first, 'HTTP/2');
        if (isZipped) return;
        const local = await exchange(answer, { ...ask, path: ask.path ?? '/' });
        assert.ok('body' in local);
        assert.deepEqual(seen({ ...local, body: Buffer.from(local.body) }), first, 'in the same process');
      }),
      { numRuns: 150 },
    );
    session.close();
  }),
);
