import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { Engine } from './engine.ts';
import type { Key, Revision } from './entry.ts';
import { openEngine } from './open.ts';
import { scanSlice } from './slices.ts';

const MIB = 1024 * 1024;
const COUNT = 12;
const keyOf = (number: number): Key => `/big/${String(number).padStart(2, '0')}`;
const RANGE = { start: '/big/', end: '/big0' };

const folders: string[] = [];
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

const LOCATIONS: Readonly<Record<string, () => Promise<string>>> = {
  memory: async () => 'memory://',
  lmdb: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'orch-slices-'));
    folders.push(folder);
    return `lmdb://${folder}`;
  },
};

/** `COUNT` entries of 1 MiB, and the revision at which they stood before each was written once more. */
async function fill(engine: Engine): Promise<Revision> {
  for (const round of [1, 2]) {
    for (let number = 0; number < COUNT; number++) {
      const found = await engine.get(keyOf(number));
      const commit = await engine.commit({ key: keyOf(number), expect: found?.revision ?? 0, value: new Uint8Array(MIB).fill(round) });
      assert.equal(commit.done, true);
    }
  }
  return (await engine.head()) - COUNT;
}

/** Bytes of each slice, and the keys of all of them. */
async function readAll(engine: Engine, at?: Revision): Promise<{ readonly sizes: readonly number[]; readonly keys: readonly Key[]; readonly rounds: ReadonlySet<number | undefined> }> {
  const sizes: number[] = [];
  const keys: Key[] = [];
  const rounds = new Set<number | undefined>();
  let start: Key | undefined = RANGE.start;
  while (start !== undefined) {
    const slice = await scanSlice(engine, { ...RANGE, start, ...(at === undefined ? {} : { at }) });
    sizes.push(slice.entries.reduce((sum, { value }) => sum + value.length, 0));
    for (const { key, value } of slice.entries) {
      keys.push(key);
      rounds.add(value[0]);
    }
    start = slice.next;
  }
  return { sizes, keys, rounds };
}

for (const [name, location] of Object.entries(LOCATIONS)) {
  describe(`slices of a scan (${name})`, () => {
    it('together hold every entry once and in order, now and as of an earlier revision; large ones come in small parts', async () => {
      const engine = await openEngine(await location());
      const before = await fill(engine);
      for (const [at, round] of [[undefined, 2], [before, 1]] as const) {
        const { sizes, keys, rounds } = await readAll(engine, at);
        assert.deepEqual(keys, Array.from({ length: COUNT }, (_, number) => keyOf(number)));
        assert.deepEqual([...rounds], [round]);
        // What is in memory already needs no reading.
        if (name !== 'memory') assert.ok(Math.max(...sizes) <= 3 * MIB, String(sizes));
      }
      await engine.close();
    });

    it('end where the limit is, and count all that is left', async () => {
      const engine = await openEngine(await location());
      await fill(engine);
      for (const limit of [1, COUNT - 2, COUNT - 1, COUNT]) {
        let slice = await scanSlice(engine, { ...RANGE, limit, count: true });
        assert.equal(slice.total, COUNT);
        let length = slice.entries.length;
        // A large one may come in parts.
        while (slice.next !== undefined && length < limit) {
          slice = await scanSlice(engine, { ...RANGE, start: slice.next, limit: limit - length });
          length += slice.entries.length;
        }
        assert.deepEqual([length, slice.next], [limit, limit === COUNT ? undefined : keyOf(limit)]);
      }
      const rest = await scanSlice(engine, { ...RANGE, start: keyOf(COUNT - 1), limit: 1, count: true });
      assert.deepEqual([rest.entries.length, rest.next, rest.total], [1, undefined, 1]);
      await engine.close();
    });
  });
}
