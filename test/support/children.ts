// Processes that a test starts end with its file at the latest: one that a failed test has left would keep it alive until its time is over.
import type { ChildProcess } from 'node:child_process';

const running = new Set<ChildProcess>();

// The runner ends a file when its tests are through, and not before: those who stop a process themselves, and look how it ends, have done so by then.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** The same process, which ends with this one. */
export function endsWithFile<C extends ChildProcess>(child: C): C {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}
