// npm test [-- words]: builds, then runs every fast test; with words only the test files whose path contains one of them.
// A file in a slow folder runs when a word names that folder: these are the suites that .ci/run calls one by one. A file that takes longer than
// TEST_MINUTES (20) has failed, whatever it waits for; all of them together have twice as long. What a failed test has left open does
// not keep its file alive until then. What tests put into the system's temporary folder is in one of this run, which is removed in the end, also
// where the run is broken off; what they have left there is told.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { build, orExplain, root } from './build.mjs';

const SLOW = ['test/clients/', 'test/durability/', 'test/etcd/', 'test/model/processes', 'test/model/seeds', 'test/soak/'];

const minutes = Number(process.env.TEST_MINUTES ?? 20);
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const flags = process.argv.slice(2).filter((word) => word.startsWith('--'));

orExplain(() => build({ tests: true }));

const files = testFiles().filter(({ source }) => {
  const slow = SLOW.find((beginning) => source.startsWith(beginning));
  const named = words.filter((word) => source.includes(word));
  // A word that only happens to be part of the name (`cli` of `clients`) has not asked for minutes.
  return slow === undefined ? words.length === 0 || named.length > 0 : named.some((word) => word.split('/').includes(slow.split('/')[1]));
});
if (files.length === 0) {
  console.error(`no test file has ${words.join(' or ')} in its path`);
  process.exit(1);
}
// One more than there are processors: a test waits about a tenth of its time.
const concurrency = os.availableParallelism() + 1;
const reporter = flags.some((flag) => flag.startsWith('--test-reporter')) ? [] : ['--test-reporter=spec'];
const args = ['--enable-source-maps', `--import=${new URL('whole-reports.mjs', import.meta.url)}`, '--test', '--test-force-exit', `--test-concurrency=${concurrency}`, `--test-timeout=${minutes * 60_000}`, ...reporter, ...flags, ...files.map(({ program }) => program)];
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'orch-tests-'));
// A test that becomes another user still gets to its own files.
fs.chmodSync(folder, 0o711);
const runner = spawn(process.env.TEST_NODE ?? process.execPath, args, { cwd: root, stdio: 'inherit', timeout: 2 * minutes * 60_000, env: { ...process.env, TMPDIR: folder } });
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM']) process.on(signal, () => runner.kill(signal));
const [status, signal] = await once(runner, 'exit');
removeLeftovers();
if (signal) {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}
process.exit(status ?? 1);

function removeLeftovers() {
  const left = fs.readdirSync(folder);
  if (left.length > 0) console.error(`tests have left ${left.length} files or folders behind: ${left.slice(0, 10).join(', ')}${left.length > 10 ? ', ...' : ''}`);
  // What ends at this moment may still write.
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Every test: where it is written and where its program is. Made from sources, so that a leftover in dist never runs. */
function testFiles() {
  const found = [];
  for (const top of ['src', 'test']) {
    for (const entry of fs.readdirSync(path.join(root, top), { recursive: true })) {
      const source = path.join(top, entry);
      if (source.endsWith('.test.mjs')) found.push({ source, program: source });
      if (!source.endsWith('.test.ts')) continue;
      const built = top === 'src' ? path.join('dist', entry) : path.join('.cache/built', source);
      found.push({ source, program: built.replace(/\.ts$/, '.js') });
    }
  }
  return found.sort((a, b) => (a.source < b.source ? -1 : 1));
}
