// npm run requirements: which numbered requirements a test names, and which none does.
//   --scope 1,2.1,3.1   only these sections        --missing   print the text of each line not covered
//   --ids R4.2-09,...   who names these lines      --update FILE   rewrite the checked-in list from the full document
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { parseSync } from 'oxc-parser';
import { root } from './build.mjs';

const LIST = path.join(root, 'test/requirements/requirements.txt');
const ID = /\bR(?:\d+(?:\.\d+)?|X)-\d+\b/g;

const { values: options } = parseArgs({
  options: { scope: { type: 'string' }, missing: { type: 'boolean' }, ids: { type: 'string' }, update: { type: 'string' } },
});
if (options.update !== undefined) update(options.update);

const requirements = new Map(
  fs
    .readFileSync(LIST, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('R'))
    .map((line) => [line.slice(0, line.indexOf(' ')), { text: line.slice(line.indexOf(' ') + 1), tests: [] }]),
);
const strangers = [];
for (const file of testFiles()) {
  for (const id of namedIn(file)) {
    if (requirements.has(id)) requirements.get(id).tests.push(file);
    else strangers.push(`${file} names ${id}, which is no requirement`);
  }
}

if (options.ids !== undefined) for (const id of options.ids.split(',')) console.log(`${id} ${requirements.get(id)?.text}\n  ${requirements.get(id)?.tests.join('\n  ')}`);
else report(options.scope?.split(',').map((section) => section.trim()));
for (const stranger of strangers) console.log(stranger);
if (strangers.length > 0) process.exitCode = 1;

function report(scope) {
  const bySection = new Map();
  for (const [id, { text, tests }] of requirements) {
    const section = id.slice(1, id.indexOf('-'));
    if (scope && !scope.includes(section)) continue;
    if (!bySection.has(section)) bySection.set(section, { covered: [], open: [] });
    bySection.get(section)[tests.length > 0 ? 'covered' : 'open'].push({ id, text });
  }
  let [covered, total] = [0, 0];
  for (const [section, lines] of bySection) {
    const count = lines.covered.length + lines.open.length;
    [covered, total] = [covered + lines.covered.length, total + count];
    const list = options.missing || lines.open.length === 0 ? '' : `  not: ${lines.open.map(({ id }) => id.slice(id.indexOf('-') + 1)).join(' ')}`;
    console.log(`${section.padEnd(5)} ${String(lines.covered.length).padStart(3)} of ${String(count).padStart(3)}${list}`);
    if (options.missing) for (const { id, text } of lines.open) console.log(`      ${id} ${text}`);
  }
  console.log(`requirements: ${covered} of ${total} named by a test`);
}

function testFiles() {
  return ['src', 'test'].flatMap((top) =>
    fs
      .readdirSync(path.join(root, top), { recursive: true })
      .map((entry) => path.join(top, entry))
      .filter((file) => /\.test\.(ts|mjs)$/.test(file)),
  );
}

/** Requirements a file names in a string, be it a title or a row of a table; a comment proves nothing. */
function namedIn(file) {
  const text = fs.readFileSync(path.join(root, file), 'utf8');
  let code = text;
  for (const { start, end } of parseSync(file, text).comments) code = code.slice(0, start) + ' '.repeat(end - start) + code.slice(end);
  return new Set(code.match(ID) ?? []);
}

/** Keeps one line for each requirement, with headings, from the full document. */
function update(from) {
  const lines = fs
    .readFileSync(from, 'utf8')
    .split('\n')
    .flatMap((line) => /^- (R\S+ .*)$/.exec(line)?.[1] ?? /^#(# .*)$/.exec(line)?.[1] ?? []);
  fs.mkdirSync(path.dirname(LIST), { recursive: true });
  fs.writeFileSync(LIST, `${lines.join('\n')}\n`);
}
