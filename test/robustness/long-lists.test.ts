import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokenInto } from './judge.ts';

const server = brokenInto();

/** More than is made in one turn of the event loop (`Turns`), and so few that they are made in one. */
const [LONG, SHORT] = [3_500, 3];
const TABLE = 'as=Table;v=v1;g=meta.orch.io';
/** How many turns the long list takes at least beyond those of the short one. Indented JSON is made twice: with and without spaces. */
const FORMS: readonly (readonly [accept: string, turns: number])[] = [
  ['application/json', 3],
  ['application/json;pretty=1', 6],
  ['application/yaml', 3],
  ['application/vnd.orch.protobuf', 3],
  [`application/json;${TABLE}`, 3],
  [`application/yaml;${TABLE}`, 3],
];

async function filled(namespace: string, count: number): Promise<string> {
  await server().request('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  await Promise.all(Array.from({ length: count }, (_, n) => server().request('POST', path, { metadata: { name: `c${n}` } })));
  return path;
}

/** How many turns of the event loop pass until the answer is there. */
async function turnsOf(path: string, accept: string): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const { status } = await server().request('GET', path, undefined, { accept });
  isOver = true;
  assert.equal(status, 200, accept);
  return turns;
}

test('whatever form a long list has, others get on while it is made', async () => {
  const long = await filled('long', LONG);
  const short = await filled('short', SHORT);
  for (const [accept, turns] of FORMS) {
    // The first list of a resource reads it into memory.
    await turnsOf(short, accept);
    const [more, less] = [await turnsOf(long, accept), await turnsOf(short, accept)];
    assert.ok(more >= less + turns, `${accept}: ${more} turns, ${less} for a short list`);
  }
});
