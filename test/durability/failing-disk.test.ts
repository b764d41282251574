import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { buildRecorder } from './disk-calls/recording.ts';
import { NO_SQLITE } from './no-sqlite.ts';

const PROGRAM = fileURLToPath(new URL('./failing-disk.js', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'orch-failing-'));
const { library, problem } = buildRecorder(home);

/** Of a create, a read that must be new, a list that need not be, and `/livez`. */
interface Seen {
  readonly before: readonly number[];
  readonly during: readonly number[];
  readonly afterwards: readonly number[];
  readonly found: readonly string[];
  readonly anew: readonly number[];
  /** What the create was told while calls failed. */
  readonly told: string;
  readonly warnings: readonly string[];
}

const GOOD = [201, 200, 200, 200];
const NOT_DONE = /^the store is not available, try again$/;
const UNCONFIRMED = /which may have been done: read what is there before you try again$/;

after(() => rmSync(home, { recursive: true }));

describe('a server whose disk fails', () => {
  function see(scheme: string, calls: string): Seen {
    const place = mkdtempSync(join(home, `${scheme}-`));
    const store = join(place, 'store');
    const failing = join(place, 'failing');
    const env = { ...process.env, LD_PRELOAD: library, RECORD_UNDER: `${store}/`, FAILING: failing };
    const { stdout, status, signal } = spawnSync(process.execPath, [PROGRAM, `${scheme}://${store}`, failing, calls], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    assert.equal(status ?? signal, 0);
    return JSON.parse(stdout.slice(stdout.lastIndexOf('\n{') + 1)) as Seen;
  }

  it('on lmdb, when it cannot say what is the newest, acknowledges nothing any more, says why, and goes on when it is started anew', { skip: problem }, () => {
    const { before, during, afterwards, found, anew, warnings, told: seen } = see('lmdb', 'flushed write');
    assert.deepEqual(before, GOOD);
    assert.match(seen, UNCONFIRMED);
    assert.deepEqual(during, [503, 503, 200, 500]);
    assert.deepEqual(afterwards, during);
    const told = /^the disk of the store .* failed \(Input\/output error\): nothing is written to it or read from it any more\. See to the disk, then start this server anew$/;
    assert.equal(warnings.filter((warning) => told.test(warning)).length, 1, warnings.join('\n'));
    assert.ok(found.includes('before') && !found.includes('during') && !found.includes('afterwards'), found.join(' '));
    assert.deepEqual(anew, GOOD);
  });

  for (const [scheme, calls, told, skip] of [
    ['lmdb', 'flush', NOT_DONE, problem],
    ['lmdb', 'write', NOT_DONE, problem],
    // SQLite takes what is in its log for written when it opens the file the next time.
    ['sqlite', 'flush', UNCONFIRMED, problem === false ? NO_SQLITE : problem],
    ['sqlite', 'write', NOT_DONE, problem === false ? NO_SQLITE : problem],
  ] as const) {
    it(`on ${scheme}, with each ${calls}, acknowledges nothing until the disk is well`, { skip }, () => {
      const { before, during, afterwards, found, anew, told: seen } = see(scheme, calls);
      assert.deepEqual([before, during, afterwards, anew], [GOOD, [503, 200, 200, 200], GOOD, GOOD]);
      assert.match(seen, told);
      assert.ok(found.includes('before') && !found.includes('during') && found.includes('afterwards'), found.join(' '));
    });
  }
});
