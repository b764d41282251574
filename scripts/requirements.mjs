// npm run requirements: which numbered requirements a test names, and which none does.
//   --scope 1,2.1,3.1   only these sections        --missing   print the text of each line not covered, and of those that bind another program
//   --strict           fail when a line is not covered
//   --ids R4.2-09,...   who names these lines      --update FILE   rewrite the checked-in list from the full document
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { parseSync } from 'oxc-parser';
import { root } from './build.mjs';

const LIST = path.join(root, 'test/requirements/requirements.txt');
// Lines that bind a client, a node agent, a network plugin or a controller that is another program: `R2.9-05 who, and why no API server can show it`.
const NOT_OURS = path.join(root, 'test/requirements/not-ours.txt');
const ID = /\bR(?:\d+(?:\.\d+)?|X)-\d+\b/g;

const { values: options } = parseArgs({
  options: { scope: { type: 'string' }, missing: { type: 'boolean' }, strict: { type: 'boolean' }, ids: { type: 'string' }, update: { type: 'string' } },
});
if (options.update !== undefined) update(options.update);

const requirements = new Map(linesOf(LIST).map(([id, text]) => [id, { text, tests: [] }]));
const strangers = [];
for (const file of testFiles()) {
  for (const id of namedIn(file)) {
    if (requirements.has(id)) requirements.get(id).tests.push(file);
    else strangers.push(`${file} names ${id}, which is no requirement`);
  }
}
for (const [id, reason] of linesOf(NOT_OURS)) {
  const requirement = requirements.get(id);
  if (requirement === undefined) strangers.push(`${path.relative(root, NOT_OURS)} names ${id}, which is no requirement`);
  else if (requirement.tests.length > 0) strangers.push(`${id} is named by a test: take it out of ${path.relative(root, NOT_OURS)}`);
  else requirement.notOurs = reason;
}

if (options.ids !== undefined) for (const id of options.ids.split(',')) console.log(`${id} ${requirements.get(id)?.text}\n  ${requirements.get(id)?.tests.join('\n  ')}`);
else report(options.scope?.split(',').map((section) => section.trim()));
for (const stranger of strangers) console.log(stranger);
if (strangers.length > 0) process.exitCode = 1;

function report(scope) {
  const bySection = new Map();
  for (const [id, requirement] of requirements) {
    const section = id.slice(1, id.indexOf('-'));
    if (scope && !scope.includes(section)) continue;
    if (!bySection.has(section)) bySection.set(section, { covered: [], open: [], notOurs: [] });
    bySection.get(section)[stateOf(requirement)].push({ id, ...requirement });
  }
  const sum = { covered: 0, open: 0, notOurs: 0 };
  for (const [section, lines] of bySection) {
    for (const state of Object.keys(sum)) sum[state] += lines[state].length;
    printSection(section, lines);
  }
  if (options.strict && sum.open > 0) process.exitCode = 1;
  console.log(`requirements: ${sum.covered} of ${sum.covered + sum.open} named by a test; ${sum.notOurs} more are not ours to show`);
}

function stateOf({ tests, notOurs }) {
  if (tests.length > 0) return 'covered';
  return notOurs === undefined ? 'open' : 'notOurs';
}

function printSection(section, { covered, open, notOurs }) {
  const list = options.missing || open.length === 0 ? '' : `  not: ${open.map(({ id }) => id.slice(id.indexOf('-') + 1)).join(' ')}`;
  const others = notOurs.length === 0 ? '' : `, ${notOurs.length} not ours to show`;
  console.log(`${section.padEnd(5)} ${String(covered.length).padStart(3)} of ${String(covered.length + open.length).padStart(3)}${others}${list}`);
  if (!options.missing) return;
  for (const { id, text } of open) console.log(`      ${id} ${text}`);
  for (const { id, notOurs: reason } of notOurs) console.log(`      (${id} not ours to show: ${reason})`);
}

/** `R1-01 text`, one a line; headings and remarks are left out. */
function linesOf(file) {
  return fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('R'))
    .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]);
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
