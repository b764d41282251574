import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineKind } from '#api';
import { countTurns } from '#base';
import { t } from '#schema';
import { TEST_TOKENS } from '#testing';
import { brokenInto } from './judge.ts';

/** Rows made of it, by whomever they were asked for. */
let rows = 0;
let onRow = (): void => {};

class Body extends t.message('example/v1.Pebble', { size: t.int32(2) }) {}
const Pebble = defineKind(Body, {
  group: 'example',
  kind: 'Pebble',
  plural: 'pebbles',
  scope: 'Namespaced',
  versions: { v1: { schema: Body } },
  storage: 'v1',
  columns: [
    {
      name: 'Size',
      type: 'integer',
      description: 'How large it is.',
      cell: ({ size }) => {
        rows++;
        onRow();
        return size ?? 0;
      },
    },
  ],
});

const server = brokenInto({ kinds: [Pebble] });

/** What takes five turns of the event loop more than one (`Turns`), and what takes no more. */
const [LONG, SHORT] = [5_500, 3];
const TABLE = 'as=Table;v=v1;g=meta.orch.io';
/**
 * How many turns the long list takes at least beyond those of the short one: fewer than it gives way, since either may wait for a turn or two
 * until it begins. Indented JSON is made twice: with and without spaces.
 */
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
const turnsOf = (path: string, accept: string): Promise<number> =>
  countTurns(async () => {
    const { status } = await server().request('GET', path, undefined, { accept });
    assert.equal(status, 200, accept);
  });

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

test('a list that nobody waits for any more is not made to its end', async () => {
  const path = '/apis/example.orch.io/v1/namespaces/default/pebbles';
  await Promise.all(Array.from({ length: LONG }, (_, n) => server().request('POST', path, { metadata: { name: `p${n}` } })));
  const headers = { authorization: `Bearer ${TEST_TOKENS.admin}`, accept: `application/json;${TABLE}` };
  const client = new AbortController();
  onRow = () => client.abort(new Error('the client is gone'));
  await assert.rejects(server().server.exchange({ path, headers, signal: client.signal }), /the client is gone/);
  onRow = () => {};
  const ofTheFirst = rows;
  assert.ok(ofTheFirst > 0);
  rows = 0;
  // Long work takes turns: had the first list gone on, it would be over by the end of the second.
  const { status } = await server().request('GET', path, undefined, { accept: headers.accept });
  assert.equal(status, 200);
  assert.ok(ofTheFirst + rows < 2 * LONG - 1_000, `${ofTheFirst} rows of the first, ${rows} since then`);
});
