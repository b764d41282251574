import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { checkStore } from '#server';
import { NO_SQLITE } from './no-sqlite.ts';

/** 2 in the ordinary suite; the figures of docs/engines.md are from 600. */
const SECONDS = Number(process.env['SOAK_SECONDS'] ?? 2);
const PROGRAM = fileURLToPath(new URL('./soak.js', import.meta.url));

interface Figures {
  readonly writes: number;
  readonly wrong: readonly string[];
}

describe(`the highest write rate for ${SECONDS} s, with deletions, compaction and long readers`, () => {
  const folders: string[] = [];
  after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

  for (const [scheme, skip] of [['lmdb', false], ['sqlite', NO_SQLITE]] as const) {
    it(`leaves a ${scheme} store that holds what was written and contradicts itself nowhere`, { skip }, async (t) => {
      const folder = await mkdtemp(join(tmpdir(), 'orch-soak-'));
      folders.push(folder);
      const child = spawn(process.execPath, [PROGRAM, scheme, folder, String(SECONDS)], { stdio: ['ignore', 'pipe', 'inherit'] });
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
      const run = { isOver: false };
      const closed = new Promise((resolve) => child.once('close', resolve)).finally(() => (run.isOver = true));
      await Promise.race([once(child.stdout, 'data'), closed]);
      // Readers of another process, each of which looks at one moment for as long as it takes.
      let checks = 0;
      for (; !run.isOver; checks++) assert.deepEqual((await checkStore(`${scheme}://${folder}`, () => {})).problems, []);
      assert.equal(await closed, 0);
      t.diagnostic(`${output}, checked ${checks} times meanwhile`);
      const { writes, wrong } = JSON.parse(output.slice(output.indexOf('{'))) as Figures;
      assert.deepEqual(wrong, []);
      const { problems, revision } = await checkStore(`${scheme}://${folder}`, () => {});
      assert.deepEqual([problems, revision], [[], writes + 1]);
    });
  }
});
