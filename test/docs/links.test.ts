import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const { files: packed } = JSON.parse(fs.readFileSync('package.json', 'utf8')) as { readonly files: readonly string[] };
const isPacked = (file: string): boolean => packed.some((entry) => file === entry || file.startsWith(`${entry}/`));

/** Where the links of a page lead, but for those into the web and within the page. */
function targetsOf(page: string): readonly string[] {
  const links = fs.readFileSync(page, 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g);
  return [...links].map(([, target = '']) => path.join(path.dirname(page), target));
}

/** The files that a page has readers copy. */
const takenFrom = (page: string): readonly string[] => [...fs.readFileSync(page, 'utf8').matchAll(/^ {4}install \S+ (\S+) /gm)].map(([, file = '']) => file);

test('every link of the published pages, and every file that they have readers install, is in the package', () => {
  const pages = ['README.md', ...fs.readdirSync('docs').filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)];
  const named = pages.flatMap((page) => [...targetsOf(page), ...takenFrom(page)].map((file) => ({ page, file })));
  assert.ok(named.length > 30, 'the links are found');
  assert.deepEqual(named.filter(({ file }) => !fs.existsSync(file) || !isPacked(file)), []);
});
