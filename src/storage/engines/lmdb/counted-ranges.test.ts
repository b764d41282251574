import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import type { Change } from '../../engine.ts';
import { CountedRanges } from './counted-ranges.ts';
import { openIn } from './test-support.ts';

const RANGE = ['/b', '/d'] as const;
const created = (key: string, revision: number): Change => ({ key, revision, value: new Uint8Array() });

describe('the number of keys in a range', () => {
  const folders: string[] = [];
  after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

  it('is what counting gives, whatever is written between the pages', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'orch-counted-'));
    folders.push(folder);
    const engine = await openIn(folder);
    const model = new Map<string, number>();
    const key = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'é'), fc.nat(5)).map(([letter, n]) => `/${letter}/${n}`);
    const range = fc.constantFrom(RANGE, ['/', '0'] as const, ['/c', '/c0'] as const, ['/b/2', '/c/3'] as const);
    const group = fc.array(fc.record({ key, removes: fc.boolean() }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(group, range), { maxLength: 8 }), async (steps) => {
        for (const [writes, [start, end]] of steps) {
          await Promise.all(
            writes.map(async (write) => {
              const commit = await engine.commit({ key: write.key, expect: model.get(write.key) ?? 0, ...(write.removes ? {} : { value: Buffer.from('x') }) });
              if (commit.done && write.removes) model.delete(write.key);
              else if (commit.done) model.set(write.key, commit.revision);
            }),
          );
          const keys = [...model.keys()].filter((one) => Buffer.compare(Buffer.from(one), Buffer.from(start)) >= 0 && Buffer.compare(Buffer.from(one), Buffer.from(end)) < 0);
          const page = await engine.scan({ start, end, limit: 1, count: true });
          assert.equal(page.total, keys.length);
        }
      }),
      { numRuns: 60 },
    );
    await engine.close();
  });

  it('is not known after writes that nobody told of', () => {
    const counted = new CountedRanges();
    counted.remember(...RANGE, 10, 3);
    counted.changed([created('/c', 13)], 12, 13);
    assert.equal(counted.total(...RANGE, 13), undefined);
  });

  it('knows writes that were there already when it was counted', () => {
    const counted = new CountedRanges();
    counted.remember(...RANGE, 13, 3);
    counted.changed([created('/c', 13)], 12, 13);
    assert.equal(counted.total(...RANGE, 13), 3);
    counted.changed([created('/c/1', 14), created('/e', 15)], 13, 15);
    assert.equal(counted.total(...RANGE, 15), 4);
    assert.equal(counted.total(...RANGE, 13), undefined);
  });

  it('is forgotten when nobody asks for it, and not before', () => {
    const counted = new CountedRanges();
    const write = (from: number, to: number): void => {
      for (let revision = from; revision <= to; revision++) counted.changed([created('/e', revision)], revision - 1, revision);
    };
    counted.remember(...RANGE, 1, 3);
    write(2, 9_000);
    assert.equal(counted.total(...RANGE, 9_000), 3);
    write(9_001, 18_000);
    assert.equal(counted.total(...RANGE, 18_000), 3);
    write(18_001, 28_001);
    assert.equal(counted.total(...RANGE, 28_001), undefined);
  });

  it('is known of few ranges, those that were counted last: each write costs as much as there are', () => {
    const counted = new CountedRanges();
    const ends = Array.from({ length: 100 }, (_, i) => `/d/${i}`);
    for (const end of ends) counted.remember('/b', end, 1, 3);
    const known = ends.filter((end) => counted.total('/b', end, 1) !== undefined);
    assert.deepEqual(known, ends.slice(-known.length));
    assert.ok(known.length > 0 && known.length < 20, `${known.length}`);
    counted.remember('/b', known[0]!, 1, 3);
    counted.remember('/b', '/e', 1, 3);
    assert.deepEqual(known.filter((end) => counted.total('/b', end, 1) === undefined), [known[1]]);
  });
});
