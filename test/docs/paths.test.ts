import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const rooms = new Set(fs.readdirSync('src'));
/** Resources of the API that read like places. */
const RESOURCES = new Set(['endpoints/restricted']);

/** `room/file`, `room/folder/` and `room/begin-*` in backticks. Examples of what a reader is to make (`<group>`) are none. */
function namedPaths(page: string): string[] {
  const quoted = fs.readFileSync(path.join('docs', page), 'utf8').matchAll(/`([a-z]+\/[\w./*-]*)`/g);
  return [...quoted].map(([, named = '']) => named).filter((named) => rooms.has(named.slice(0, named.indexOf('/'))) && !RESOURCES.has(named));
}

function stands(named: string): boolean {
  const file = path.join('src', named);
  if (named.endsWith('/')) return fs.existsSync(file);
  if (named.endsWith('*')) return fs.readdirSync(path.dirname(file)).some((name) => name.startsWith(path.basename(file, '*')));
  return fs.existsSync(`${file}.ts`) || fs.existsSync(file) || fs.readdirSync(path.dirname(file)).some((name) => name.startsWith(`${path.basename(file)}.`));
}

test('every place in the code that docs name is there', () => {
  const pages = fs.readdirSync('docs').filter((name) => name.endsWith('.md'));
  assert.ok(namedPaths('where.md').length > 60, 'the places are found');
  const missing = pages.flatMap((page) => namedPaths(page).filter((named) => !stands(named)).map((named) => `docs/${page}: ${named}`));
  assert.deepEqual(missing, []);
});
