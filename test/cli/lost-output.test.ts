import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';

const FULL_DISK = '/dev/full';
const NO_FULL_DISK = existsSync(FULL_DISK) ? false : 'this machine has no device that is always full';

/** What became of a command whose output goes there; the exit code comes last. */
function told(redirection: string): string {
  const { stderr } = spawnSync('sh', ['-c', `{ "$0" dist/bin/orch.js help; echo "exit code $?" >&2; } ${redirection}`, process.execPath], { encoding: 'utf8' });
  return stderr;
}

describe('output that cannot be written', () => {
  it('is told, and fails the command', { skip: NO_FULL_DISK }, () => {
    assert.equal(told(`> ${FULL_DISK}`), 'orch: the output cannot be written: ENOSPC: no space left on device, write\nexit code 1\n');
  });

  it('is fine where its reader wants no more', () => {
    assert.equal(told('| true'), 'exit code 0\n');
  });
});
