import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Key } from '../entry.ts';
import { text, type TestedEngine } from './test-support.ts';

/** Tests of `scan`. */
export function scanSuite(tested: TestedEngine): void {
  const { put, remove, all } = tested;

  it('goes in order of the bytes of the keys and stays inside its range', async () => {
    for (const key of ['/b', '/a/z', '/a/\u{1f600}', '/a/\uff5e', '/a', '/a.b', '/a/b', '/a/é', '/a0']) await put(key, 'v');
    const { entries } = await tested.engine.scan({ start: '/a/', end: '/a0' });
    assert.deepEqual(entries.map((entry) => entry.key), ['/a/b', '/a/z', '/a/é', '/a/\uff5e', '/a/\u{1f600}']);
  });

  it('pages and counts', async () => {
    for (let i = 0; i < 7; i++) await put(`/k/${i}`, `${i}`);
    await put('/l/0', 'other');
    const range = { start: '/k/', end: '/k0' };
    const first = await tested.engine.scan({ ...range, limit: 3, count: true });
    assert.deepEqual([first.entries.length, first.more, first.total, first.revision], [3, true, 7, 9]);
    const second = await tested.engine.scan({ ...range, start: '/k/2', limit: 5, count: true, at: first.revision });
    assert.deepEqual([second.entries.length, second.more, second.total], [5, false, 5]);
    const third = await tested.engine.scan({ ...range, start: '/k/2', limit: 2, count: true, at: first.revision });
    assert.deepEqual([third.entries.length, third.more, third.total], [2, true, 5]);
    const at = await tested.engine.head();
    for (let i = 0; i < 7; i++) await put(`/k/${i}`, 'later');
    for (const moment of [{}, { at }]) {
      for (const limit of [1, 5, 6, 7, 8]) {
        const page = await tested.engine.scan({ ...range, limit, ...moment });
        assert.deepEqual([page.entries.length, page.more, page.total], [Math.min(limit, 7), limit < 7, undefined]);
      }
      const none = await tested.engine.scan({ start: '/m/', end: '/m0', count: true, ...moment });
      assert.deepEqual([none.entries, none.more, none.total], [[], false, 0]);
    }
    assert.equal((await tested.engine.scan(range)).total, undefined);
  });

  it('gives as many entries as are asked for, however many', async () => {
    await Promise.all(Array.from({ length: 400 }, (_, i) => put(`/k/${1_000 + i}`, '', 0)));
    const at = await tested.engine.head();
    await put('/k/1000', 'later');
    for (const moment of [{}, { at }]) {
      for (const limit of [65, 399, 400]) {
        const { entries, more, total } = await tested.engine.scan({ start: '/k/', end: '/k0', limit, count: true, ...moment });
        assert.deepEqual([entries.length, entries.at(-1)?.key, more, total], [limit, `/k/${999 + limit}`, limit < 400, 400]);
      }
    }
  });

  it('may end a page by its weight where that is asked for, behind the second entry at the earliest', async () => {
    const keys = Array.from({ length: 200 }, (_, i) => `/k/${100 + i}`);
    await Promise.all(keys.map((key) => put(key, 'x'.repeat(3_000))));
    const at = await tested.engine.head();
    await Promise.all(keys.map((key) => put(key, 'x'.repeat(3_000))));
    for (const moment of [{}, { at }]) {
      const found: Key[] = [];
      for (let more = true; more; ) {
        const page = await tested.engine.scan({ start: found.length === 0 ? '/k/' : `${found.at(-1)}\0`, end: '/k0', maxBytes: 2_500, count: true, ...moment });
        assert.equal(page.total, keys.length - found.length);
        found.push(...page.entries.map(({ key }) => key));
        more = page.more;
        assert.ok(page.entries.length > 1 || !more);
      }
      assert.deepEqual(found, keys);
    }
  });

  it('R4.4-04 goes on right behind a key, whatever key comes next, now and as of before', async () => {
    // What holds for short keys must hold for long ones: an index may write the two differently.
    const keys = ['', 'long/'.repeat(20)].flatMap((folder) => ['a', 'a!', 'a-b', 'a/b', 'ab', 'b'].map((name) => `/k/${folder}${name}`));
    for (const key of keys) await put(key, 'x');
    const at = await tested.engine.head();
    for (const key of keys) await put(key, 'y');
    for (const [position, key] of keys.entries()) {
      for (const moment of [{}, { at }]) {
        const { entries, total } = await tested.engine.scan({ start: `${key}\0`, end: '/k0', count: true, ...moment });
        assert.deepEqual(entries.map((entry) => entry.key), keys.slice(position + 1), key);
        assert.equal(total, entries.length);
      }
    }
  });

  it('R4.4-05 shows every page as of the revision asked for, whatever happened since', async () => {
    for (let i = 0; i < 10; i++) await put(`/k/${i}`, 'old');
    const at = await tested.engine.head();
    for (let i = 0; i < 10; i += 2) await put(`/k/${i}`, 'new');
    await remove('/k/1');
    await put('/k/55', 'later');
    const first = await tested.engine.scan({ start: '/k/', end: '/k0', limit: 4, at, count: true });
    const second = await tested.engine.scan({ start: '/k/4', end: '/k0', limit: 10, at, count: true });
    assert.deepEqual([...first.entries, ...second.entries].map((entry) => `${entry.key}=${text(entry.value)}`), Array.from({ length: 10 }, (_, i) => `/k/${i}=old`));
    assert.deepEqual([first.total, second.total, first.revision, second.revision], [10, 6, at, at]);
  });

  it('finds the right value among very many of one key', async () => {
    await put('/k/a', 'a');
    await put('/k/z', 'z');
    for (let i = 0; i < 150; i++) await put('/k/hot', `${i}`);
    await put('/k/b', 'late');
    for (const key of ['/k/a', '/k/z']) await put(key, 'late');
    for (const i of [0, 20, 33, 75, 149]) assert.deepEqual(await all(4 + i), ['/k/a=a', `/k/hot=${i}`, '/k/z=z']);
    assert.deepEqual(await all(3), ['/k/a=a', '/k/z=z']);
  });
}
