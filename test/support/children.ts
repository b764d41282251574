// Processes that a test starts end with its file at the latest: one that a failed test has left would keep it alive until its time is over.
import type { ChildProcess } from 'node:child_process';
import { after } from 'node:test';

const running = new Set<ChildProcess>();
const isTest = process.env['NODE_TEST_CONTEXT'] !== undefined;
if (isTest) {
  after(() => {
    for (const child of running) child.kill('SIGKILL');
  });
}

/** The same process, which ends with the tests of this file. Outside of tests nothing becomes of it. */
export function endsWithFile<C extends ChildProcess>(child: C): C {
  if (!isTest) return child;
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}
