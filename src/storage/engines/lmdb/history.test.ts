import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import fc from 'fast-check';
import { compareUtf8 } from '#base';
import type { Page } from '../../engine.ts';
import type { Key, Revision } from '../../entry.ts';
import { MAX_KEY_BYTES } from '../../longest-key.ts';
import { openTables, type Tables } from './database.ts';
import { History, type Unfinished } from './history.ts';
import { openIn } from './test-support.ts';

const KEYS: readonly Key[] = Array.from({ length: 300 }, (_, i) => `/k/${1000 + i}`);

interface Paged {
  readonly found: readonly Key[];
  readonly totals: readonly (number | undefined)[];
  readonly rows: number;
}

/** The page that a scan gives, however many turns it takes to count. */
async function whole(scanned: Page | Unfinished): Promise<Page> {
  if (!('goOn' in scanned)) return scanned;
  await new Promise(setImmediate);
  return whole(scanned.goOn() ?? scanned);
}

type Writing = (put: (key: Key, value?: string) => Promise<void>, head: () => Promise<Revision>) => Promise<Revision>;

/** The tables of a store after `write`, and the revision that this gives. */
async function tablesAfter(context: TestContext, write: Writing): Promise<{ readonly tables: Tables; readonly at: Revision }> {
  const folder = await mkdtemp(join(tmpdir(), 'orch-history-'));
  context.after(() => rm(folder, { recursive: true }));
  const engine = await openIn(folder);
  const put = async (key: Key, text?: string): Promise<void> => {
    const expect = (await engine.get(key))?.revision ?? 0;
    assert.ok((await engine.commit({ key, expect, ...(text === undefined ? {} : { value: Buffer.from(text) }) })).done);
  };
  const at = await write(put, () => engine.head());
  await engine.close();
  const tables = openTables(folder);
  context.after(() => tables.root.close());
  return { tables, at };
}

/** The history in these tables, which calls `passed` with the number of rows that it reads, for each of them or for some at once. */
function readingHistory(tables: Tables, passed: (rows: number) => void): History {
  const told = <T extends Tables['live'] | Tables['past']>(table: T): T =>
    Object.assign(Object.create(table) as T, {
      getRange: (...range: Parameters<T['getRange']>) => table.getRange(...range).map((row: unknown) => (passed(1), row)),
      getKeysCount: (...range: Parameters<T['getKeysCount']>) => {
        const count = table.getKeysCount(...range);
        passed(count);
        return count;
      },
    });
  return new History({ ...tables, live: told(tables.live), past: told(tables.past) });
}

/** Writes to a store by `write`, and reads it in pages at the revision that this gives: what is read, and how many rows of tables for it. */
async function paged(context: TestContext, write: Writing): Promise<(nextStart: (page: Page) => Key, count: boolean) => Promise<Paged>> {
  const { tables, at } = await tablesAfter(context, write);
  let rows = 0;
  return async (nextStart, count) => {
    const history = readingHistory(tables, (more) => (rows += more));
    const [found, totals]: [Key[], (number | undefined)[]] = [[], []];
    rows = 0;
    for (let start: Key | undefined = '/k/'; start !== undefined; ) {
      const page = await whole(history.scan({ start, end: '/k0', at, limit: 11, count }));
      found.push(...page.entries.slice(0, 10).map(({ key }) => key));
      totals.push(page.total);
      start = page.entries.length > 10 ? nextStart(page) : undefined;
    }
    return { found, totals, rows };
  };
}

const atNext = ({ entries }: Page): Key => entries.at(-1)!.key;
const behindLast = ({ entries }: Page): Key => `${entries.at(-2)!.key}\0`;
const all = <T>(work: (key: Key) => Promise<T>): Promise<T[]> => Promise.all(KEYS.map(work));

test('R4.4-04 a list in pages counts its keys once, wherever the next page begins, now and as of before', async (context) => {
  for (const later of [[], ['/later']]) {
    const read = await paged(context, async (put, head) => {
      await all((key) => put(key, 'x'));
      const before = await head();
      for (const key of later) await put(key, 'x');
      return before;
    });
    for (const nextStart of [atNext, behindLast]) {
      const { found, totals, rows } = await read(nextStart, true);
      assert.deepEqual(found, KEYS);
      assert.deepEqual(totals, Array.from({ length: 30 }, (_, page) => KEYS.length - 10 * page));
      // Once to count them, and once as entries, with one ahead on each page.
      assert.ok(rows < 3 * KEYS.length, `${rows} rows for ${KEYS.length} keys`);
    }
  }
});

test('R4.4-05 a long range is counted as of before while others go on, who write meanwhile, and compact', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'orch-history-'));
  context.after(() => rm(folder, { recursive: true }));
  const engine = await openIn(folder);
  const keys = Array.from({ length: 20_000 }, (_, at) => `/k/${10_000 + at}`);
  const changed = async (key: Key, ...value: readonly Buffer[]): Promise<void> => {
    assert.ok((await engine.commit({ key, expect: (await engine.get(key))?.revision ?? 0, ...(value.length > 0 && { value: value[0]! }) })).done);
  };
  await Promise.all(keys.map((key) => changed(key, Buffer.from('x'))));
  const at = await engine.head();
  for (const key of keys.slice(-3)) await changed(key);
  let turns = 0;
  let isCounting = true;
  const goOn = (): void => {
    turns += 1;
    if (isCounting) setImmediate(goOn);
  };
  goOn();
  const counting = engine.scan({ start: '/k/', end: '/k0', at, limit: 1, count: true });
  await changed(keys.at(-4)!);
  const { total, entries } = await counting;
  isCounting = false;
  assert.deepEqual([total, entries.length], [keys.length, 1]);
  assert.ok(turns > 1);
  await engine.close();

  const tables = openTables(folder);
  context.after(() => tables.root.close());
  await new Promise(setImmediate);
  const scanned = new History(tables).scan({ start: '/k/', end: '/k0', at, limit: 1, count: true });
  await tables.meta.put('compacted', at + 1);
  await assert.rejects(whole(scanned), { code: 'compacted' });
});

test('R4.4-05 a page as of before costs no more than what lies between its keys, whatever has happened to all others since', async (context) => {
  for (const isChanged of [false, true]) {
    const read = await paged(context, async (put, head) => {
      for (const text of ['x', undefined]) await all((key) => put(`${key}/gone`, text));
      await all((key) => put(key, 'x'));
      const before = await head();
      if (isChanged) await all((key) => put(key, 'y'));
      for (const text of ['x', undefined]) await all((key) => put(`${key}/passing`, text));
      await all((key) => put(`${key}/later`, 'x'));
      return before;
    });
    const { found, rows } = await read(behindLast, false);
    assert.deepEqual(found, KEYS);
    // Two rows of what is there, and three of what was there before and what came since, for each key.
    assert.ok(rows < 2 * 5 * KEYS.length, `${rows} rows for ${KEYS.length} keys`);
  }
});

test('R4.4-05 a page as of before is read while others go on, whatever has come and gone since between its keys and behind them', async (context) => {
  const there = KEYS.filter((_, i) => i % 3 === 0 && i < 150);
  const { tables, at } = await tablesAfter(context, async (put, head) => {
    await Promise.all(there.map((key) => put(key, 'before')));
    const before = await head();
    // A turn may end between the rows of one key.
    for (let later = 0; later < 25; later++) await Promise.all(there.map((key) => put(key, `${later}`)));
    for (const text of ['x', undefined, 'z']) await all((key) => put(key, text));
    return before;
  });
  // A few rows take as long as many thousands do elsewhere.
  const history = readingHistory(tables, () => {
    for (const sinceMs = performance.now(); performance.now() - sinceMs < 0.05; );
  });
  for (const limit of [1, 20, there.length, undefined]) {
    for (const count of [false, true]) {
      const scanned = history.scan({ start: '/k/', end: '/k0', at, count, ...(limit === undefined ? {} : { limit }) });
      assert.ok('goOn' in scanned || limit === 1, 'it takes turns');
      const { entries, more, total } = await whole(scanned);
      assert.deepEqual(entries.map(({ key, value }) => `${key} ${Buffer.from(value).toString()}`), there.slice(0, limit).map((key) => `${key} before`));
      assert.deepEqual([more, total], [limit !== undefined && limit < there.length, count ? there.length : undefined]);
      await new Promise(setImmediate);
    }
  }
});

test('what is longer than any key can be is asked for like anything else: it is not there, and ranges begin and end at it', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'orch-history-'));
  context.after(() => rm(folder, { recursive: true }));
  const engine = await openIn(folder);
  context.after(() => engine.close());
  const beginning = `/k/${'x'.repeat(MAX_KEY_BYTES - 9)}`;
  const characters = fc.string({ unit: fc.constantFrom('a', 'z', '\u00e9', '\uffee', '\u{1f600}', '\u{10ffff}'), maxLength: 8 });
  const bound = fc.tuple(characters, fc.constantFrom('', '\0', 'q'.repeat(100), '\u{1f600}'.repeat(3_000))).map(([text, more]) => beginning + text + more);
  const keys = fc.sample(characters, { numRuns: 300, seed: 1 }).map((text) => beginning + text);
  const short = [...new Set(keys)].filter((key) => Buffer.byteLength(key) <= MAX_KEY_BYTES).toSorted(compareUtf8);
  await Promise.all(short.map((key) => engine.commit({ key, expect: 0, value: Buffer.from('x') })));
  const before = await engine.head();
  // Every second one is there as of before alone.
  await Promise.all(short.map(async (key, i) => i % 2 === 0 && engine.commit({ key, expect: (await engine.get(key))!.revision })));
  const there = { now: short.filter((_, i) => i % 2 === 1), before: short };
  await fc.assert(
    fc.asyncProperty(bound, bound, async (one, other) => {
      const [start, end] = [one, other].toSorted(compareUtf8) as [Key, Key];
      for (const when of ['now', 'before'] as const) {
        const { entries, total } = await engine.scan({ start, end, count: true, ...(when === 'now' ? {} : { at: before }) });
        const expected = there[when].filter((key) => compareUtf8(start, key) <= 0 && compareUtf8(key, end) < 0);
        assert.deepEqual([entries.map(({ key }) => key), total], [expected, expected.length]);
        assert.equal((await engine.get(end, when === 'now' ? undefined : before))?.key, there[when].find((key) => key === end));
      }
    }),
  );
  const precondition = { key: beginning.repeat(3), revision: 2 };
  assert.deepEqual(await engine.commit({ key: '/new', expect: 0, value: Buffer.from('x'), preconditions: [precondition] }), { done: false, found: undefined, preconditionFailed: true });
});

test('a key counts as changed after a revision where the log says so, or where it is forgotten', async (context) => {
  const { tables } = await tablesAfter(context, async (put, head) => {
    for (const key of ['/a', '/b', '/a']) await put(key, `${await head()}`);
    return head();
  });
  const history = new History(tables);
  const changed = (key: Key): boolean[] => [1, 2, 3, 4].map((after) => history.isChanged(key, after));
  assert.deepEqual([changed('/a'), changed('/b'), changed('/c')], [[true, true, true, false], [true, true, false, false], [false, false, false, false]]);
  tables.meta.putSync('compacted', 3);
  assert.deepEqual(changed('/c'), [true, true, false, false]);
});

test('a page ends behind the bytes that it may have, now and as of before', async (context) => {
  const { tables, at } = await tablesAfter(context, async (put, head) => {
    for (const key of KEYS.slice(0, 8)) await put(key, 'x'.repeat(1_000));
    const before = await head();
    for (const key of KEYS.slice(0, 8)) await put(key, 'y'.repeat(1_000));
    return before;
  });
  const history = new History(tables);
  for (const moment of [{}, { at }]) {
    const { entries, more } = await whole(history.scan({ start: '/k/', end: '/k0', maxBytes: 2_500, ...moment }));
    assert.ok(entries.length <= 3 && more, `${entries.length} entries`);
  }
});
