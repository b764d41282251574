import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTurns, pretty } from '#base';
import { prettyPieces } from './pretty-pieces.ts';
import { Turns } from './turns.ts';

async function indentedOf(pieces: readonly Uint8Array[]): Promise<readonly Uint8Array[]> {
  const indented: Uint8Array[] = [];
  for await (const run of prettyPieces([pieces], waitedFor())) indented.push(...run);
  return indented;
}

const waitedFor = (): Turns => new Turns({ signal: new AbortController().signal });

test('pieces are indented as the whole would be, the short ones together', async () => {
  const items = Array.from({ length: 5_000 }, (_, n) => ({ metadata: { name: `c${n}`, labels: {} }, data: { k: 'é😀'.repeat(n % 100 === 0 ? 5_000 : 3) } }));
  const pieces = ['{"items":[', ...items.flatMap((item, at) => [...(at === 0 ? [] : [',']), '{', JSON.stringify(item).slice(1)]), ']}\n'].map((text) => Buffer.from(text));
  const indented = await indentedOf(pieces);
  assert.equal(Buffer.concat(indented).toString(), Buffer.from(pretty(Buffer.concat(pieces))).toString());
  assert.ok(indented.length < pieces.length / 20, `${indented.length} of ${pieces.length} pieces`);
  assert.deepEqual(await indentedOf([]), []);
});

test('long pieces are indented in turns as well', async () => {
  const run = Buffer.from(Array.from({ length: 1_000 }, () => `{"k":"${'v'.repeat(200)}"}`).join());
  const pieces = [Buffer.from('['), ...Array.from({ length: 8 }, (_, at) => (at === 0 ? [run] : [Buffer.from(','), run])).flat(), Buffer.from(']')];
  const turns = await countTurns(() => indentedOf(pieces));
  assert.ok(turns >= 4, `${turns} turns`);
});
