import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openEngine } from '#storage';
import { checkAll, checkFeed, parseTold } from './acknowledged.ts';

/** 5 in the ordinary suite; CI asks for 200. */
const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? 5);
/** The writer is killed at a random moment of this span after its first acknowledged write. */
const LIFE_MS = 40;
const WRITER = fileURLToPath(new URL('./writer.js', import.meta.url));

/** Runs a writer, kills it while it writes, and returns what it was told to be durable. */
async function writeAndKill(folder: string, compacts: boolean): Promise<ReturnType<typeof parseTold>> {
  const child = spawn(process.execPath, [WRITER, `lmdb://${folder}`, compacts ? 'compact' : ''], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = new Promise<NodeJS.Signals | null>((resolve) => child.once('close', (_, signal) => resolve(signal)));
  let output = '';
  let isArmed = false;
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
    if (isArmed || output.indexOf('\n') === output.lastIndexOf('\n')) return;
    isArmed = true;
    setTimeout(() => child.kill('SIGKILL'), Math.random() * LIFE_MS);
  });
  assert.equal(await closed, 'SIGKILL', 'the writer writes until it is killed');
  return parseTold(output);
}

describe('killed with -9 while writing', () => {
  const folders: string[] = [];
  after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

  it(`R2.2-09 keeps every acknowledged write and never gives a revision twice, in ${ROUNDS} rounds`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'orch-kill-'));
    folders.push(folder);
    let head = 1;
    let total = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const { found, acknowledged } = await writeAndKill(folder, round % 2 === 1);
      assert.equal(found, head, 'the next process finds what the check found');
      const revisions = acknowledged.map(({ revision }) => revision);
      assert.ok(acknowledged.length > 0 && Math.min(...revisions) > head, 'revisions go on from where they were');
      assert.equal(new Set(revisions).size, revisions.length, 'no revision was given twice');
      const engine = await openEngine(`lmdb://${folder}`);
      const now = await engine.head();
      assert.ok(now >= Math.max(...revisions), 'the counter did not go down');
      await checkAll(engine, acknowledged);
      await checkFeed(engine, head, acknowledged);
      await engine.close();
      head = now;
      total += acknowledged.length;
    }
    assert.ok(total >= ROUNDS);
  });
});
