// npm run check: every gate in turn, cheap ones first, the tests last. `--gates` leaves the tests out. All run even after a failure.
import { spawnSync } from 'node:child_process';
import { root } from './build.mjs';

const GATES = [
  ['compile', ['scripts/build.mjs', '--tests']],
  ['layers', ['scripts/check-layers.mjs']],
  ['gen', ['scripts/gen-index.mjs', '--check']],
  ['exports', ['scripts/exports.mjs']],
  ['flags', ['scripts/flags-page.mjs', '--check']],
  ['where', ['scripts/where.mjs', '--check']],
  ['lint', ['scripts/lint.mjs']],
];
const words = process.argv.slice(2);
if (words.some((word) => word !== '--gates')) {
  console.error(`usage: node scripts/check.mjs [--gates]; not known: ${words.join(' ')}. One gate alone: ${GATES.map(([, args]) => args.join(' ')).join(', ')}`);
  process.exit(2);
}
const steps = words.length > 0 ? GATES : [...GATES, ['tests', ['scripts/test.mjs']]];

const failed = steps.filter(([name, args]) => {
  const startedAt = performance.now();
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  console.log(`${status === 0 ? 'ok  ' : 'FAIL'} ${name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
  return status !== 0;
});
console.log(failed.length === 0 ? 'check: all good' : `check: ${failed.map(([name]) => name).join(', ')} failed`);
process.exitCode = failed.length === 0 ? 0 : 1;
