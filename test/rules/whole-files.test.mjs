// No test of a file is left out: --test-force-exit ends a file once the tests declared so far are done, so none may be declared behind a wait.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parseSync } from 'oxc-parser';
import { root } from '../../scripts/build.mjs';

const RUNNER = 'node:test';
const HOOKS = new Set(['after', 'afterEach', 'before', 'beforeEach', 'mock']);

/** What runs while the file is loaded: everything but the bodies of functions. */
function* loaded(node) {
  if (Array.isArray(node)) {
    for (const part of node) yield* loaded(part);
  } else if (node !== null && typeof node === 'object') {
    if (/Function|MethodDefinition/.test(node.type)) return;
    yield node;
    for (const value of Object.values(node)) yield* loaded(value);
  }
}

const isWait = ({ type, await: waits }) => type === 'AwaitExpression' || (type === 'ForOfStatement' && waits === true);
const isLoop = ({ type }) => /^(?:For|While|DoWhile)/.test(type ?? '');
const nameOf = (callee) => (callee.type === 'MemberExpression' ? nameOf(callee.object) : callee.name);

/** The first line that waits although a test is, or in the round before was, declared above it; undefined: none does. */
function waitBehindTest(file, text) {
  const { module, program } = parseSync(file, text);
  // A suite of another file declares tests as well.
  const declarers = new Set(
    module.staticImports
      .filter(({ moduleRequest: { value } }) => value === RUNNER || /-suite(?:\.[jt]s)?$/.test(value))
      .flatMap(({ entries }) => entries.map(({ localName }) => localName.value))
      .filter((name) => !HOOKS.has(name)),
  );
  const isDeclaration = ({ type, callee }) => type === 'CallExpression' && declarers.has(nameOf(callee));
  let declared = false;
  for (const statement of program.body) {
    const nodes = [...loaded(statement)];
    const declaration = nodes.find(isDeclaration);
    declared ||= declaration !== undefined && isLoop(statement);
    const wait = nodes.find((node) => isWait(node) && (declared || (declaration !== undefined && node.start > declaration.start)));
    if (wait !== undefined) return text.slice(0, wait.start).split('\n').length;
    declared ||= declaration !== undefined;
  }
  return undefined;
}

test('a wait behind a declared test is found, also in the loop that declares it', () => {
  const lines = (...all) => ["import { after, test } from 'node:test';", "import { engineSuite } from './engine-suite.ts';", ...all].join('\n');
  const found = (...all) => waitBehindTest('a.test.ts', lines(...all));
  assert.equal(found('const a = await b();', "test('c', async () => { await d(); });"), undefined);
  assert.equal(found('after(stop);', 'const a = await b();', "test('c', () => {});"), undefined);
  assert.equal(found("test('c', () => {});", 'const a = await b();'), 4);
  assert.equal(found("test.skip('c', () => {});", 'for await (const a of b) c(a);'), 4);
  assert.equal(found("engineSuite('c');", 'const a = await b();'), 4);
  assert.equal(found('for (const a of b) {', '  const c = await d(a);', "  test('e', () => {});", '}'), 4);
});

test('no test file waits behind a test it has declared', () => {
  const files = ['src', 'test'].flatMap((folder) =>
    fs.readdirSync(path.join(root, folder), { recursive: true }).flatMap((file) => (/\.test\.(?:ts|mjs)$/.test(file) ? [path.join(folder, file)] : [])),
  );
  assert.ok(files.length > 500, 'nothing was looked at');
  const faults = files.flatMap((file) => {
    const line = waitBehindTest(file, fs.readFileSync(path.join(root, file), 'utf8'));
    return line === undefined ? [] : [`${file}:${line}`];
  });
  assert.deepEqual(faults, []);
});
