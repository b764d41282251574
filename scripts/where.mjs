// npm run where 4.6: the files that implement a section of the specification (they carry `@spec 4.6`). Without a section: the whole map.
// --check: every tag names a section of docs/spec-sections.txt, and every section not marked `later` there has a file.
import fs from 'node:fs';
import path from 'node:path';
import { root } from './build.mjs';
import { listSources } from './read-imports.mjs';

const sections = new Map(
  fs
    .readFileSync(path.join(root, 'docs/spec-sections.txt'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, number, isLater, title] = /^(\S+)\s+(later )?\s*(.*)$/.exec(line);
      return [number, { title, isLater: isLater !== undefined, files: [] }];
    }),
);

const unknown = [];
for (const file of listSources(path.join(root, 'src'))) {
  if (file.endsWith('.test.ts')) continue;
  const text = fs.readFileSync(path.join(root, 'src', file), 'utf8');
  const numbers = [...text.matchAll(/@spec((?:[\s,]+\d+(?:\.\d+)*)+)/g)].flatMap(([, list]) => list.match(/\d+(\.\d+)*/g));
  for (const number of new Set(numbers)) {
    if (sections.has(number)) sections.get(number).files.push(`src/${file}`);
    else unknown.push(`src/${file}: @spec ${number} names no section`);
  }
}

const [asked] = process.argv.slice(2);
if (asked === '--check') check();
else if (asked === undefined) for (const [number] of sections) show(number);
else if (sections.has(asked)) show(asked);
else explain(asked);

function show(number) {
  const { title, files } = sections.get(number);
  console.log(`${number} ${title}`);
  for (const file of files) console.log(`  ${file}`);
  if (files.length === 0) console.log('  (no file yet)');
}

function explain(number) {
  console.error(`no section ${number}; there are ${[...sections.keys()].join(' ')}`);
  process.exitCode = 2;
}

function check() {
  const ownerless = [...sections].filter(([, { isLater, files }]) => !isLater && files.length === 0);
  const problems = [...unknown, ...ownerless.map(([number, { title }]) => `section ${number} (${title}) has no file with @spec ${number}`)];
  for (const problem of problems) console.log(problem);
  console.log(`where: ${sections.size} sections, ${problems.length} problems`);
  if (problems.length > 0) process.exitCode = 1;
}
