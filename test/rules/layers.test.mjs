// Plants every kind of violation in a small tree and sees it reported by name; a clean tree reports none.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { checkLayers } from '../../scripts/check-layers.mjs';

const MANIFEST = JSON.stringify({ name: 'orch', exports: { '.': './dist/server/index.js' }, bin: { orch: './dist/cli/main.js' } });

const CLEAN = {
  'base/index.ts': "export * from './clock.ts';\n",
  'base/clock.ts': 'export const now = (): number => 1;\n',
  'errors/index.ts': "export { ApiError } from './api-error.ts';\n",
  'errors/api-error.ts': 'export class ApiError extends Error {}\n',
  'schema/index.ts': "export const schema = 1;\n",
  'api/index.ts': "import type { ApiError } from '#errors';\nimport { schema } from '#schema';\nexport type Failure = ApiError;\nexport const size = schema;\n",
  'codec/index.ts': "import { load } from 'js-yaml';\nexport const read = load;\n",
  'storage/engine.ts': "import { now } from '#base';\nexport const head = now;\n",
  'storage/index.ts': "export { head } from './engine.ts';\nexport * from './engines/index.gen.ts';\n",
  'storage/engines/index.gen.ts': "export { driver as lmdb } from './lmdb/index.ts';\nexport { driver as memory } from './memory/index.ts';\n",
  'storage/engines/lmdb/index.ts': "import { open } from 'lmdb';\nimport fs from 'node:fs';\nimport { head } from '../../engine.ts';\nexport const driver = [open, fs, head];\n",
  'storage/engines/memory/index.ts': "import { head } from '../../engine.ts';\nexport const driver = head;\n",
  'storage/engines/memory/index.test.ts': "import test from 'node:test';\nimport fc from 'fast-check';\nimport { driver } from './index.ts';\ntest('x', () => { fc.assert(driver); });\n",
  'registry/index.ts': "import { head } from '#storage';\nexport const create = head;\n",
  'admission/index.ts': "import { size } from '#api';\nexport const chain = size;\nexport * from './plugin.ts';\nexport * from './plugins/index.gen.ts';\n",
  'admission/plugin.ts': 'export const definePlugin = <T>(plugin: T): T => plugin;\n',
  'admission/plugins/index.gen.ts': "export { one } from './pods/one.ts';\nexport { two } from './pods/two.ts';\n",
  'admission/plugins/pods/one.ts': "import { definePlugin } from '../../plugin.ts';\nexport const one = definePlugin(1);\n",
  'admission/plugins/pods/two.ts': "import { definePlugin } from '../../plugin.ts';\nexport const two = definePlugin(2);\n",
  'server/index.ts': "import { chain } from '#admission';\nimport { create } from '#registry';\nimport { read } from '#codec';\nexport const startServer = [chain, create, read];\n",
  'cli/main.ts': "import { startServer } from '#server';\nvoid import('./commands/serve.ts');\nexport const main = startServer;\n",
  'cli/commands/serve.ts': 'export const serve = 1;\n',
};

/** Builds the clean tree with `changes` on top (text is appended when it starts with `+`), and checks it. */
function check(changes = {}) {
  const project = fs.mkdtempSync(path.join(os.tmpdir(), 'orch-layers-'));
  try {
    fs.writeFileSync(path.join(project, 'package.json'), MANIFEST);
    const files = { ...CLEAN };
    for (const [file, text] of Object.entries(changes)) files[file] = text.startsWith('+') ? `${files[file]}${text.slice(1)}\n` : text;
    for (const [file, text] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(project, 'src', file)), { recursive: true });
      fs.writeFileSync(path.join(project, 'src', file), text);
    }
    return checkLayers(project);
  } finally {
    fs.rmSync(project, { recursive: true });
  }
}

const SINS = [
  ['a lower layer imports a higher one', 'layer-registry', 'registry/index.ts', "+export * from '#admission';"],
  ['the same with a type only', 'layer-api', 'api/index.ts', "+export type * from '#storage';"],
  ['the same inside a type', 'layer-errors', 'errors/api-error.ts', "+export type Engine = typeof import('#storage');"],
  ['the same by a dynamic import', 'layer-storage', 'storage/engine.ts', "+void import('#registry');"],
  ['one gate imports another', 'layer-admission', 'admission/plugin.ts', "+export * from '#registry';"],
  ['a folder without a row', 'unknown-layer', 'drawer/index.ts', "import { now } from '#base';\nexport const drawer = now;\n"],
  ['a relative import into another folder', 'one-door', 'registry/index.ts', "+export * from '../storage/engine.ts';"],
  ['a relative import of another door', 'one-door', 'registry/index.ts', "+export * from '../storage/index.ts';"],
  ['a path past the door', 'one-door', 'registry/index.ts', "+export * from '#storage/engine';"],
  ['a test that goes past a door', 'one-door', 'registry/index.test.ts', "import '../storage/engine.ts';\n"],
  ['an import that leaves src', 'one-door', 'server/index.ts', "+export * from '../../dist/server/index.js';"],
  ['the package by its own name', 'one-door', 'server/index.ts', "+export * from 'orch/testing';"],
  ['the own door by its name', 'not-through-own-door', 'storage/engine.ts', "+export * from '#storage';"],
  ['the own door by its path', 'not-through-own-door', 'base/clock.ts', "+export * from './index.ts';"],
  ['a circle of types', 'no-cycles', 'base/clock.ts', "+import type { a } from './ring.ts';\nexport type B = typeof a;", { 'base/ring.ts': "import type { now } from './clock.ts';\nexport const a = 1 as unknown as typeof now;\n" }],
  ['a file that imports itself', 'no-cycles', 'base/clock.ts', "+export * from './clock.ts';"],
  ['an engine that knows the object store', 'engines-are-islands', 'storage/engines/memory/index.ts', "+export * from '../../object-store.ts';", { 'storage/object-store.ts': 'export const store = 1;\n' }],
  ['an engine that knows another engine', 'engines-are-islands', 'storage/engines/memory/index.ts', "+export * from '../lmdb/index.ts';"],
  ['an engine that knows objects', 'engines-are-islands', 'storage/engines/memory/index.ts', "+export * from '#api';"],
  ['a plugin that knows another plugin', 'plugins-are-islands', 'admission/plugins/pods/one.ts', "+export * from './two.ts';"],
  ['a plugin that knows the chain', 'plugins-are-islands', 'admission/plugins/pods/one.ts', "+export * from '../../order.ts';", { 'admission/order.ts': 'export const order = 1;\n' }],
  ['a Node module in a pure folder', 'pure-stays-pure', 'schema/index.ts', "+export * from 'node:fs';"],
  ['a Node module in a pure folder, as a type', 'pure-stays-pure', 'api/index.ts', "+export type { Stats } from 'node:fs';"],
  ['a package in a pure folder', 'pure-stays-pure', 'base/clock.ts', "+export * from 'js-yaml';"],
  ['a package away from home', 'package-lmdb', 'storage/engine.ts', "+export * from 'lmdb';"],
  ['a package nobody listed', 'package-unlisted', 'server/index.ts', "+export * from 'left-pad';"],
  ['a Node module without its prefix', 'node-prefix', 'server/index.ts', "+export * from 'fs';"],
  ['an import computed at run time', 'no-computed-import', 'server/index.ts', "+export const load = (name: string): Promise<unknown> => import(name);"],
  ['an import of nothing', 'unresolved', 'server/index.ts', "+export * from './start.js';"],
  ['an import of a test', 'no-import-of-tests', 'server/index.ts', "+export * from './start.test.ts';", { 'server/start.test.ts': 'export const t = 1;\n' }],
  ['an import of what tests of several folders share', 'no-import-of-tests', 'server/index.ts', "+export * from '#test-support';", { 'test-support/index.ts': 'export const t = 1;\n' }],
  ['an import of what tests share', 'no-import-of-tests', 'server/index.ts', "+export * from './test-support.ts';", { 'server/test-support.ts': 'export const t = 1;\n' }],
  ['a file nobody reaches', 'no-orphans', 'base/ring.ts', 'export const ring = 1;\n'],
  ['a drawer', 'vague-name', 'base/utils.ts', 'export const u = 1;\n'],
  ['a drawer as a folder', 'vague-name', 'server/helpers/one.ts', 'export const u = 1;\n'],
  ['a name in camel case', 'file-name', 'base/lruCache.ts', 'export const lru = 1;\n'],
  ['a default export', 'no-default-export', 'base/clock.ts', '+export default 1;'],
  ['a default export under another name', 'no-default-export', 'base/index.ts', "+export { now as default } from './clock.ts';"],
];

test('a clean tree has no problem, and its modules were really read', () => {
  const { modules, problems } = check();
  assert.deepEqual(problems, []);
  assert.equal(modules, Object.keys(CLEAN).length);
});

for (const [sin, rule, file, text, more] of SINS) {
  test(`${rule}: ${sin}`, () => {
    const found = check({ [file]: text, ...more }).problems.filter((problem) => problem.rule === rule);
    assert.equal(found.length, 1, `reported ${JSON.stringify(found)}`);
    assert.equal(found[0].file, `src/${file}`);
    assert.ok(found[0].line >= 1 && found[0].text.length > 0);
  });
}

test('a file that is not TypeScript stops the check instead of passing it', () => {
  assert.throws(() => check({ 'base/broken.ts': 'export const = ;\n' }), /base\/broken\.ts/);
});
