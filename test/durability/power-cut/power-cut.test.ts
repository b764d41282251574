import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Random } from '../../model/random.ts';
import { Disk } from './disk.ts';
import { buildRecorder, record, type Note } from '../disk-calls/recording.ts';
import { NO_SQLITE } from '../no-sqlite.ts';

/** Of each store; CI asks for 100. */
const CUTS = Number(process.env['POWER_CUTS'] ?? 20);
/** After so many cuts the writer goes on from what the last one left. */
const CUTS_PER_LIFE = 10;
const LIFE_MS = 150;
const WRITER = fileURLToPath(new URL('../writer.js', import.meta.url));
const ORCH = resolve('dist/bin/orch.js');
const CHECK = fileURLToPath(new URL('./check.js', import.meta.url));

const home = mkdtempSync(join(tmpdir(), 'orch-power-'));
const { library, problem } = buildRecorder(home);

/** How much of what was not flushed is there afterwards: nothing, everything, some of it, nearly everything. */
const SURVIVAL: readonly ((random: Random) => boolean)[] = [() => false, () => true, (random) => random.oneIn(2), (random) => !random.oneIn(20)];

/** The notes of a writer that went on from `store`. */
function write(scheme: string, store: string, life: number): Promise<Note[]> {
  const program = [WRITER, `${scheme}://${store}`, life % 2 === 1 ? 'compact' : ''];
  return record({ library, folder: store, to: join(home, 'recording'), program, lifeMs: LIFE_MS });
}

/** What is wrong with a store, if anything is: an LMDB file that does not fit together can end the process that reads it. */
function problemsOf(url: string, told: string): string {
  const { status, signal, stderr } = spawnSync(process.execPath, [CHECK, url], { input: told, encoding: 'utf8' });
  return status === 0 ? '' : `${signal ?? status}: ${stderr}`;
}

/** Cuts the power `cuts` times while a writer writes; the first thing that is wrong afterwards. `edit` changes what the disk is told. */
async function cutPower(scheme: string, cuts: number, edit: (notes: Note[]) => Note[] = (notes) => notes): Promise<string> {
  const random = new Random(cuts);
  const place = mkdtempSync(join(home, `${scheme}-`));
  let store = join(place, 'made-new');
  mkdirSync(store);
  for (let done = 0, life = 0; done < cuts; life++) {
    const disk = new Disk(store);
    const notes = edit(await write(scheme, store, life));
    assert.ok(notes.some(({ kind }) => kind === 'told'), 'writes were acknowledged');
    const moments = Array.from({ length: Math.min(CUTS_PER_LIFE, cuts - done) }, () => random.int(notes.length)).sort((a, b) => a - b);
    let told = '';
    let at = 0;
    let left = store;
    for (const moment of moments) {
      for (; at < moment; at++) {
        const note = notes[at]!;
        if (note.kind === 'told') told += note.text;
        else disk.do(note);
      }
      left = join(place, `cut-${++done}`);
      const survives = random.pick(SURVIVAL);
      disk.cut(store, left, () => survives(random));
      const problems = problemsOf(`${scheme}://${left}`, told);
      if (moment !== moments.at(-1)) rmSync(left, { recursive: true });
      if (problems !== '') return `cut ${done}, at ${moment} of ${notes.length} in life ${life}: ${problems}`;
    }
    store = left;
  }
  return '';
}

after(() => rmSync(home, { recursive: true }));

describe('a machine whose power fails', () => {
  for (const { scheme, skip } of [
    { scheme: 'lmdb', skip: problem },
    { scheme: 'sqlite', skip: problem === false ? NO_SQLITE : problem },
  ]) {
    it(`R2.2-09 has every write to ${scheme} that was acknowledged, after ${CUTS} cuts`, { skip }, async () => assert.equal(await cutPower(scheme, CUTS), ''));

    it(`is found out where ${scheme} does not flush`, { skip }, async () => {
      const unflushed = (notes: Note[]): Note[] => notes.filter(({ kind }) => kind !== 'flushed').map((note) => (note.kind === 'written' ? { ...note, isFlushed: false } : note));
      assert.notEqual(await cutPower(scheme, CUTS, unflushed), '');
    });
  }

  it('has the certificates, keys and kubeconfig of a server that had said it is ready', { skip: problem }, async () => {
    const folder = join(home, 'data');
    mkdirSync(folder);
    const disk = new Disk(folder);
    const notes = await record({ library, folder, to: join(home, 'recording'), program: [ORCH, 'serve', '--data-dir', folder, '--secure-port', '0'], lifeMs: 0 });
    for (const note of notes) if (note.kind !== 'told') disk.do(note);
    const left = join(home, 'left');
    disk.cut(folder, left, () => false);
    const kept = [...readdirSync(join(folder, 'pki')).map((name) => join('pki', name)), 'kubeconfig'];
    assert.equal(kept.length, 7);
    for (const file of kept) assert.equal(readFileSync(join(left, file), 'utf8'), readFileSync(join(folder, file), 'utf8'), file);
  });
});
