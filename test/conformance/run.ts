// Replays recorded conversations against our server and compares the outcome with the checked-in lists. See README.md here.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { brotliDecompressSync } from 'node:zlib';
import { startServerProcess } from '../support/server-process.ts';
import { readLists, removeFromLists, type Expectation } from './lists.ts';
import { percentOf, raiseFloor, readFloor, sharesOf, totalOf, type Replayed } from './strict-messages.ts';

const HOME = path.resolve('test/conformance');

interface Outcome extends Replayed {
  readonly ok: boolean;
}

const options = readOptions();

let [passed, failed] = [0, 0];
for (const dialect of options.dialect.split(',')) {
  const verdict = await (options['strict-messages'] ? judgeMessages(dialect) : judge(dialect));
  passed += verdict.passed;
  failed += verdict.failed;
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/** Runs one dialect. Failed is what the lists do not say: an unlisted scenario that differs, a listed one that does not. */
async function judge(dialect: string): Promise<{ passed: number; failed: number }> {
  const lists = readLists(HOME, dialect);
  const outcomes = await replay(dialect, lists);
  const surprises = outcomes.filter(({ name, ok }) => ok === lists.has(name));
  const better = surprises.filter(({ ok }) => ok);
  const worse = surprises.filter(({ ok }) => !ok);

  printAreas(dialect, outcomes);
  if (options.update) removeFromLists(HOME, dialect, new Set(better.map(({ name }) => name)));
  for (const { name } of better) console.log(options.update ? `removed from the list: ${name}` : `passes, remove it from the list (--update does): ${name}`);
  for (const { name } of worse) console.log(`fails and is not listed: ${name}`);
  const unexpected = worse.length + (options.update ? 0 : better.length);
  const right = outcomes.filter(({ ok }) => ok).length;
  console.log(`${dialect}: ${right} of ${outcomes.length} scenarios as recorded, ${outcomes.length - right - worse.length} listed as not yet, ${unexpected} unexpected`);
  return { passed: right - (options.update ? 0 : better.length), failed: unexpected };
}

/** Runs one dialect and counts messages: how many are as recorded, to the letter. Fails where they are fewer than before. */
async function judgeMessages(dialect: string): Promise<{ passed: number; failed: number }> {
  const lists = readLists(HOME, dialect);
  const outcomes = await replay(dialect, lists);
  const onPurpose = new Set([...lists].filter(([, why]) => why === 'onPurpose').map(([name]) => name));
  const shares = sharesOf(unpack(), outcomes, onPurpose);
  for (const [area, share] of shares) console.log(`${dialect} ${area}: ${share.verbatim} of ${share.compared} messages, ${percentOf(share)}`);
  const total = totalOf(shares);
  const isWhole = options.filter === undefined;
  if (isWhole && options.update) raiseFloor(HOME, dialect, total.verbatim);
  const floor = isWhole ? readFloor(HOME, dialect) : 0;
  console.log(`${dialect}: ${total.verbatim} of ${total.compared} messages about kinds to the letter, ${percentOf(total)}; at least ${floor} once were`);
  return { passed: total.verbatim, failed: Math.max(0, floor - total.verbatim) };
}

async function replay(dialect: string, lists: ReadonlyMap<string, Expectation>): Promise<Outcome[]> {
  const server = options.server === undefined ? await startServerProcess({ flags: ['--dialect', dialect, '--store', options.store, '--controllers', 'none', '--authorization-mode', 'Node,RBAC'] }) : undefined;
  let outcomes: Outcome[];
  try {
    outcomes = await runScenarios(dialect, lists, server?.url ?? options.server ?? '');
  } finally {
    const code = (await server?.stop()) ?? 0;
    if (code !== 0) console.log(`the server ended with ${code}:\n${server?.output()}`);
    if (code !== 0) failed += 1;
  }
  if (outcomes.length === 0) throw new Error('no scenario was run; does the filter match one?');
  return outcomes;
}

/** Runs the replaying program and reads its report. */
async function runScenarios(dialect: string, lists: ReadonlyMap<string, Expectation>, url: string): Promise<Outcome[]> {
  const data = unpack();
  const report = path.join(data, `report.${dialect}.json`);
  fs.rmSync(report, { force: true });
  const scenarios = options['known-good'] ? withoutListed(data, lists) : path.join(data, 'scenarios');
  const args = ['replay', '--server', url, '--insecure', '--dialect', dialect, '--json', report, '--concurrency', options.concurrency];
  args.push('--scenarios', scenarios, '--transcripts', path.join(data, 'transcripts'));
  if (options.filter !== undefined) args.push('--filter', options.filter);
  if (options['strict-messages']) args.push('--strict-messages');
  const runner = spawn(process.execPath, [path.join(HOME, 'runner/conformance.mjs'), ...args, '--quiet'], {
    stdio: ['ignore', options.verbose ? 'inherit' : 'ignore', 'inherit'],
  });
  await once(runner, 'exit');
  if (!fs.existsSync(report)) throw new Error('the runner made no report');
  return (JSON.parse(fs.readFileSync(report, 'utf8')) as { scenarios: Outcome[] }).scenarios;
}

/** Unpacks the data once for each version of it; returns the folder. */
function unpack(): string {
  const packed = fs.readFileSync(path.join(HOME, 'data.json.br'));
  const folder = path.resolve('.cache/conformance', createHash('sha256').update(packed).digest('hex').slice(0, 16));
  if (fs.existsSync(path.join(folder, 'complete'))) return folder;
  const files = JSON.parse(brotliDecompressSync(packed).toString('utf8')) as Record<string, string>;
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  }
  fs.writeFileSync(path.join(folder, 'complete'), '');
  return folder;
}

/** A folder of scenarios without those that are listed as failing: quick, for work in between; it cannot see that one got better. */
function withoutListed(data: string, lists: ReadonlyMap<string, Expectation>): string {
  const folder = path.join(data, 'known-good');
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder);
  for (const file of fs.readdirSync(path.join(data, 'scenarios'))) {
    const area = JSON.parse(fs.readFileSync(path.join(data, 'scenarios', file), 'utf8')) as { scenarios: { name: string }[] };
    area.scenarios = area.scenarios.filter(({ name }) => !lists.has(name));
    fs.writeFileSync(path.join(folder, file), JSON.stringify(area));
  }
  return folder;
}

function printAreas(dialect: string, outcomes: readonly Outcome[]): void {
  const areas = new Map<string, { right: number; all: number }>();
  for (const { area, ok } of outcomes) {
    const count = areas.get(area) ?? { right: 0, all: 0 };
    areas.set(area, { right: count.right + (ok ? 1 : 0), all: count.all + 1 });
  }
  for (const [area, { right, all }] of [...areas].sort(([a], [b]) => (a < b ? -1 : 1))) console.log(`${dialect} ${area}: ${right} of ${all}`);
}

function readOptions() {
  try {
    return parseArgs({
      options: {
        dialect: { type: 'string', default: 'kubernetes,orch' },
        filter: { type: 'string' },
        server: { type: 'string' },
        store: { type: 'string', default: 'memory://' },
        update: { type: 'boolean', default: false },
        verbose: { type: 'boolean', default: false },
        'known-good': { type: 'boolean', default: false },
        'strict-messages': { type: 'boolean', default: false },
        concurrency: { type: 'string', default: '8' },
      },
    }).values;
  } catch (cause) {
    console.error(`${(cause as Error).message}\ntest/conformance/README.md says what it takes, with examples.`);
    process.exit(2);
  }
}
