import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineKind, type KindDefinition } from '#api';
import { badRequest } from '#errors';
import { t } from '#schema';
import { startServer } from './start.ts';

class Body extends t.message('example/v1.Recipe', { spec: t.string(2) }) {}

const FACTS = { group: 'example', kind: 'Recipe', plural: 'recipes', scope: 'Namespaced', versions: { v1: { schema: Body } }, storage: 'v1' } as const;

const fail = (): never => {
  throw new Error('the cook is lost');
};

/** Requests in which a hook is asked. */
const ASKED = {
  create: { method: 'POST', query: '', accept: 'application/json' },
  table: { method: 'GET', query: '', accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
  select: { method: 'GET', query: '?fieldSelector=spec%3Da', accept: 'application/json' },
  remove: { method: 'DELETE', query: '', accept: 'application/json' },
} as const;

type Asked = keyof typeof ASKED;

/** What the requests get of a server with this kind, and what its log says of them. */
async function tried(hooks: object, asked: readonly Asked[], version = 'v1'): Promise<{ readonly answers: readonly (readonly [number, string])[]; readonly logged: string }> {
  const lines: string[] = [];
  const log = { info: () => {}, warn: () => {}, error: (message: string, facts?: object) => void lines.push(`${message} ${JSON.stringify(facts)}`) };
  const kind: KindDefinition = defineKind(Body, { ...FACTS, ...hooks });
  await using server = await startServer({ dialect: 'kubernetes', listen: false, controllers: 'none', tokens: 'secret,admin,1,"system:masters"', kinds: [kind], log });
  const answers: (readonly [number, string])[] = [];
  for (const { method, query, accept } of asked.map((name) => ASKED[name])) {
    const path = `/apis/example.k8s.io/${version}/namespaces/default/recipes${query}`;
    const headers = { authorization: 'Bearer secret', 'content-type': 'application/json', accept };
    const answer = await server.exchange({ method, path, headers, ...(method === 'POST' ? { body: '{"metadata":{"name":"a"}}' } : {}) });
    assert.ok('body' in answer);
    answers.push([answer.status, (JSON.parse(new TextDecoder().decode(answer.body)) as { message?: string }).message ?? '']);
  }
  return { answers, logged: lines.join('\n') };
}

type Hooks = (hook: () => unknown) => object;

const conversions = (hooks: object): object => ({ versions: { v1: { schema: Body }, v2: { schema: Body, ...hooks } } });

/** Hooks, the requests before which they are asked and the one in which, and how their failure is named. */
const ROWS: readonly (readonly [hooks: Hooks, asked: readonly Asked[], name: string, version?: string])[] = [
  [(complete) => ({ complete }), ['create'], 'complete of the kind Recipe'],
  [(prepare) => ({ prepare }), ['create'], 'prepare of the kind Recipe'],
  [(completeNamed) => ({ completeNamed }), ['create'], 'completeNamed of the kind Recipe'],
  [(validate) => ({ validate }), ['create'], 'validate of the kind Recipe'],
  [(settle) => ({ settle }), ['create'], 'settle of the kind Recipe'],
  [(warn) => ({ warn }), ['create'], 'warn of the kind Recipe'],
  [(grace) => ({ grace }), ['create', 'remove'], 'grace of the kind Recipe'],
  [(select) => ({ select }), ['select'], 'select of the kind Recipe'],
  [(refuseField) => ({ refuseField }), ['select'], 'refuseField of the kind Recipe'],
  [(ended) => ({ ended }), ['create', 'table'], 'ended of the kind Recipe'],
  [(cell) => ({ columns: [{ name: 'Cook', type: 'string', cell }] }), ['create', 'table'], 'cell of the column "Cook" of the kind Recipe'],
  [(isHeld) => ({ finalizing: { isHeld, mark: () => {} } }), ['create', 'remove'], 'isHeld of finalizing of the kind Recipe'],
  [(up) => conversions({ up }), ['create'], 'up of v2 of the kind Recipe', 'v2'],
  [(down) => conversions({ down }), ['create'], 'down of v2 of the kind Recipe', 'v2'],
];

for (const [hooks, asked, name, version] of ROWS) {
  test(`a kind of the program whose hook fails is named to the client, and the log says where: ${name}`, async () => {
    const { answers, logged } = await tried(hooks(fail), asked, version);
    assert.deepEqual(answers.at(-1), [500, `Internal error occurred: ${name} failed`]);
    assert.match(logged, /the cook is lost.*own-kinds\.test/);
  });
}

test('a hook that returns a promise fails its request, and its rejection ends no process: nobody would wait for what it refuses', async () => {
  for (const hook of [async () => fail(), async () => undefined]) {
    const { answers, logged } = await tried({ validate: hook }, ['create', 'table']);
    assert.deepEqual(answers, [[500, 'Internal error occurred: validate of the kind Recipe failed'], [200, '']]);
    assert.match(logged, /it returns at once, and returned a promise/);
  }
});

test('what a hook refuses by an ApiError is a refusal, and a hook has the declaration as its this', async () => {
  const refused = await tried({ validate: () => assert.fail(badRequest('no cook')) }, ['create']);
  assert.deepEqual(refused, { answers: [[400, 'no cook']], logged: '' });
  const itself = { words: { '': 'mine' }, warn(this: KindDefinition) { return [this.words?.[''] ?? '']; } }; // prettier-ignore
  assert.deepEqual((await tried(itself, ['create'])).answers, [[201, '']]);
});

test('a watch that ends because a hook fails says which', { timeout: 20_000 }, async () => {
  const select = ({ metadata }: { readonly metadata: { readonly name?: string } }): Record<string, string> => (metadata.name === 'a' ? fail() : { spec: '' });
  const kind: KindDefinition = defineKind(Body, { ...FACTS, select });
  await using server = await startServer({ dialect: 'kubernetes', listen: false, controllers: 'none', tokens: 'secret,admin,1,"system:masters"', kinds: [kind] });
  const path = '/apis/example.k8s.io/v1/namespaces/default/recipes';
  const headers = { authorization: 'Bearer secret', 'content-type': 'application/json' };
  const watch = await server.exchange({ method: 'GET', path: `${path}?watch=true&fieldSelector=spec%3Db`, headers });
  assert.equal((await server.exchange({ method: 'POST', path, headers, body: '{"metadata":{"name":"a"}}' })).status, 201);
  assert.ok('stream' in watch);
  let text = '';
  for await (const chunk of watch.stream) text += new TextDecoder().decode(chunk);
  const { type, object } = JSON.parse(text) as { type: string; object: { message: string; code: number } };
  assert.deepEqual([type, object.code, object.message], ['ERROR', 500, 'Internal error occurred: select of the kind Recipe failed']);
});
