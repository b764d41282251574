// npm run shape: the largest files, folders and functions, and names that say little. A report for the author's judgement, never a gate.
import fs from 'node:fs';
import path from 'node:path';
import { parseSync } from 'oxc-parser';
import { root } from './build.mjs';
import { listSources } from './read-imports.mjs';
import { vagueNames } from './layers.mjs';

const ROWS = Number(process.argv[2] ?? 15);
const VAGUE_FUNCTION = /^(do|handle|process|run|execute|perform|manage)([A-Z]\w*)?$|^(data|info|stuff|item|obj|tmp|temp|foo)\d*$/;

const src = path.join(root, 'src');
const files = listSources(src)
  .filter((file) => !file.endsWith('.test.ts') && !file.endsWith('.gen.ts'))
  .map((file) => {
    const text = fs.readFileSync(path.join(src, file), 'utf8');
    return { name: file, size: text.split('\n').length - 1, functions: [...functionsOf(parseSync(file, text).program, text, file)] };
  });

print('lines per file', files.filter(({ name }) => !name.endsWith('.table.ts')));
print('files per folder', countBy(files.map(({ name }) => path.posix.dirname(name))));
const functions = files.flatMap((file) => file.functions);
print('lines per function', functions);
const vague = [
  ...functions.filter(({ called }) => VAGUE_FUNCTION.test(called ?? '')),
  ...files.filter(({ name }) => vagueNames.some((word) => path.posix.basename(name, '.ts').split(/[-.]/).includes(word))),
];
print('names that say little', vague);
const lines = files.reduce((sum, { size }) => sum + size, 0);
const median = files.map(({ size }) => size).sort((a, b) => a - b)[Math.floor(files.length / 2)] ?? 0;
console.log(`${files.length} files, ${lines} lines, median ${median}; ${functions.length} functions, ${functions.filter(({ size }) => size > 60).length} above 60 lines`);

/** Every function of a syntax tree: its name where it has one, where it stands, how many lines it takes. */
function* functionsOf(node, text, file, name) {
  if (Array.isArray(node)) {
    for (const part of node) yield* functionsOf(part, text, file);
    return;
  }
  if (node === null || typeof node !== 'object') return;
  if (/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)) {
    const called = node.id?.name ?? name;
    const line = text.slice(0, node.start).split('\n').length;
    yield { name: `${file}:${line} ${called ?? '(no name)'}`, called, size: text.slice(node.start, node.end).split('\n').length };
  }
  for (const value of Object.values(node)) yield* functionsOf(value, text, file, nameGiven(node));
}

/** The name a declaration, property or method gives to the function it holds. */
function nameGiven(node) {
  return node.key?.name ?? (node.type === 'VariableDeclarator' ? node.id.name : undefined);
}

function countBy(names) {
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, size]) => ({ name, size }));
}

function print(title, rows) {
  console.log(`${title}`);
  for (const { name, size } of rows.sort((a, b) => b.size - a.size).slice(0, ROWS)) console.log(`${String(size).padStart(6)}  ${name}`);
  console.log('');
}
