import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createJsonCodec } from '#codec';
import type { Reply } from '#request';
import { generateDocument, replyGenerated } from './generated-document.ts';
import { Turns } from './turns.ts';

const codec = createJsonCodec();
const items = (count: number, length: number): readonly string[] => Array.from({ length: count }, (_, n) => JSON.stringify({ name: `c${n}`, text: 'x'.repeat(length) }));

interface Made {
  readonly reply: Reply;
  /** How many parts have been made so far. */
  readonly parts: () => number;
}

async function answerWith(texts: readonly string[], signal = new AbortController().signal): Promise<Made> {
  let parts = 0;
  const list = codec.list({ kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '7' } });
  const document = generateDocument(list, texts, new Turns({ signal }), (text) => {
    parts++;
    return Buffer.from(text);
  });
  return { reply: await replyGenerated(200, {}, document), parts: () => parts };
}

async function piecesOf(reply: Reply): Promise<readonly Uint8Array[]> {
  if ('body' in reply) return reply.body instanceof Uint8Array ? [reply.body] : reply.body;
  assert.ok('pieces' in reply);
  const pieces: Uint8Array[] = [];
  for await (const run of reply.pieces) pieces.push(...run);
  return pieces;
}

for (const [length, form] of [[10, 'body'], [10_000, 'pieces']] as const) {
  test(`a document of ${length * 3_000} bytes is answered as ${form}, and says what its parts say`, async () => {
    const texts = items(3_000, length);
    const { reply } = await answerWith(texts);
    assert.ok(form in reply);
    const { items: read } = JSON.parse(Buffer.concat(await piecesOf(reply)).toString()) as { items: unknown };
    assert.deepEqual(read, texts.map((text) => JSON.parse(text) as unknown));
  });
}

test('of a long document no more is made than is asked for', async () => {
  const { reply, parts } = await answerWith(items(200, 1_000_000));
  assert.ok('pieces' in reply);
  const asked = parts();
  assert.ok(asked <= 2, `${asked} parts before anybody took one`);
  const pieces = reply.pieces[Symbol.asyncIterator]();
  await pieces.next();
  assert.equal(parts(), asked);
  await pieces.next();
  assert.equal(parts(), asked + 1);
  await pieces.return?.();
});

test('documents that begin in the same turn of the event loop are not all begun in it', async () => {
  const made: number[] = [];
  let turn = 0;
  const count = (): void => {
    turn += 1;
    if (made.length < 12) setImmediate(count);
  };
  setImmediate(count);
  const slow = (text: string): Uint8Array => {
    made.push(turn);
    for (const beganMs = performance.now(); performance.now() - beganMs < 10; ) continue;
    return Buffer.from(text);
  };
  const documents = Array.from({ length: 12 }, () => {
    const list = codec.list({ kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '7' } });
    return generateDocument(list, items(1, 10), new Turns(new AbortController()), slow);
  });
  await Promise.all(documents.map((document) => piecesOf({ status: 200, headers: {}, pieces: document })));
  const most = Math.max(...made.map((one) => made.filter((other) => other === one).length));
  assert.ok(most <= 2, `${most} in a turn: ${made.join()}`);
});

test('who is gone between two runs is nobody that could be told of it', async () => {
  const client = new AbortController();
  const { reply } = await answerWith(items(200, 1_000_000), client.signal);
  assert.ok('pieces' in reply);
  const pieces = reply.pieces[Symbol.asyncIterator]();
  await pieces.next();
  client.abort(new Error('the client is gone'));
  await assert.rejects(async () => {
    while (!(await pieces.next()).done);
  }, /the client is gone/);
});
