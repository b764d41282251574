import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Terminal } from '../terminal.ts';
import { loadManifests } from './load-manifests.ts';

const folder = await mkdtemp(join(tmpdir(), 'orch-manifests-'));
after(() => rm(folder, { recursive: true }));

const nobody = {} as Terminal;
const load = (text: string): ReturnType<typeof loadManifests> => loadManifests(['-'], { readInput: () => Promise.resolve(Buffer.from(text)) } as unknown as Terminal);
/** What a text holds: kind, name and place of each object. */
const found = async (text: string): Promise<readonly string[]> => (await load(text)).map(({ kind, name, where }) => `${kind} ${name} (${where})`);
const object = (kind: string, name: string, more: object = {}): object => ({ apiVersion: 'v1', kind, metadata: { name }, ...more });

test('lists are taken apart, to their depth; nothing else that looks like one is', async () => {
  const inner = { apiVersion: 'v1', kind: 'ConfigMapList', items: [object('ConfigMap', 'b')] };
  const list = { apiVersion: 'v1', kind: 'List', items: [object('ConfigMap', 'a'), inner] };
  assert.deepEqual(await found(JSON.stringify(list)), ['ConfigMap a (standard input, items[0])', 'ConfigMap b (standard input, items[1], items[0])']);
  for (const one of [object('AllowList', 'a'), object('AllowList', 'a', { items: {} }), object('Menu', 'a', { items: [1] })]) {
    const { kind } = one as { kind: string };
    assert.deepEqual(await found(JSON.stringify(one)), [`${kind} a (standard input)`]);
  }
});

test('JSON and YAML are told apart by what they hold, and faults by their place', async () => {
  assert.deepEqual(await found('{apiVersion: v1, kind: Pod, metadata: {name: a}}\n---\n# nothing\n---\napiVersion: v1\nkind: Pod\n'), [
    'Pod a (standard input, document 1)',
    'Pod  (standard input, document 2)',
  ]);
  await assert.rejects(found('kind: Pod'), /^UsageError: standard input: apiVersion is missing$/);
  for (const [name, what] of [['y', 'true'], ['off', 'false'], ['2024', 'the number 2024']]) {
    await assert.rejects(found(`apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}}`), { message: `standard input: metadata.name is ${what}, not a text: put it in quotes` });
  }
  await assert.rejects(found('apiVersion: v1'), /standard input: kind is missing$/);
  for (const items of ['', 'items: {}']) await assert.rejects(found(`apiVersion: v1\nkind: List\n${items}`), { message: 'standard input: items is missing, or no list: a List holds the objects there' });
  assert.deepEqual(await found('apiVersion: example.com/v1\nkind: List\nmetadata: {name: a}'), ['List a (standard input)']);
  await assert.rejects(found('[]'), /standard input: expected an object with apiVersion and kind$/);
  await assert.rejects(found('apiVersion: v1\nkind: Pod\n---\nkind: [\n'), /standard input: line 5: /);
  await assert.rejects(found('# nothing'), /there is no object in -$/);
});

test('the last line of a file ends as all lines do, as kubectl reads it, also where the file has no line break there', async () => {
  const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: |\n    b';
  for (const file of [text, `${text}\n`]) assert.deepEqual((await load(file)).map(({ object: one }) => one['data']), [{ a: 'b\n' }]);
});

test('of a folder the files with manifests count, in the order of their names', async () => {
  for (const name of ['b.json', 'a.yaml', 'c.yml', 'd.txt']) await writeFile(join(folder, name), JSON.stringify(object('Pod', name)));
  assert.deepEqual((await loadManifests([folder], nobody)).map(({ name }) => name), ['a.yaml', 'b.json', 'c.yml']);
  await assert.rejects(loadManifests([join(folder, 'e.yaml')], nobody), /cannot read .*e\.yaml: ENOENT/);
  await assert.rejects(loadManifests([], nobody), /which file\?/);
});
