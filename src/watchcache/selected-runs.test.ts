import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { countTurns } from '#base';
import { createStored, type Run, type Stored } from '#storage';
import { pageOf } from './page.ts';
import { repeated, selectedOf } from './selected-runs.ts';
import { State } from './state.ts';

const stored = (key: string, group: number): Stored =>
  createStored({ key, value: new TextEncoder().encode(`{"metadata":{"labels":{"group":"${group}"}}}`), revision: 1 }, () => ({}));
const ofGroup = (group: number) => (one: Stored): boolean => one.labels['group'] === String(group);
const keysOf = (items: readonly Stored[]): string[] => items.map(({ key }) => key);

test('lists with a selector that was asked for before show what changed since', async () => {
  const change = fc.record({ n: fc.nat({ max: 120 }), group: fc.option(fc.nat({ max: 2 }), { nil: undefined }) });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 200, size: 'max' }), fc.integer({ min: 1, max: 40 }), async (changes, limit) => {
      const state = new State();
      const model = new Map<string, number>();
      for (let at = 0; at < changes.length; at += 20) {
        for (const { n, group } of changes.slice(at, at + 20)) {
          const key = `/r/k${String(n).padStart(4, '0')}`;
          if (group === undefined) state.delete(key);
          else state.set(stored(key, group));
          if (group === undefined) model.delete(key);
          else model.set(key, group);
        }
        for (const group of [0, 1]) {
          const expected = [...model.keys()].filter((key) => model.get(key) === group).sort();
          const query = { prefix: '/r/', freshness: 'any', matches: ofGroup(group), matchesText: `group=${group}` } as const;
          const { items, runs = [] } = await pageOf(state.snapshot, query, 1);
          assert.deepEqual(keysOf(items), expected);
          assert.deepEqual(keysOf(runs.flatMap((run) => run.items)), expected);
          // A page that is full where a run ends goes on with the next run.
          const toEndOfRun = state.snapshot.map(({ items: all }) => expected.findLastIndex((key) => key <= all.at(-1)!.key) + 1);
          for (const size of [limit, ...toEndOfRun.filter((count) => count > 0)]) {
            const page = await pageOf(state.snapshot, { ...query, limit: size }, 1);
            // A full page is followed by another one where any key is left, of whatever group.
            const last = expected[size - 1];
            const next = last === undefined ? undefined : [...model.keys()].sort().find((key) => key > last);
            assert.deepEqual([keysOf(page.items), page.next], [expected.slice(0, size), next]);
            assert.deepEqual(keysOf((page.runs ?? []).flatMap((run) => run.items)), expected.slice(0, size));
          }
        }
      }
    }),
    { seed: 1, numRuns: 60 },
  );
});

test('lists whose selectors take long have turns of the event loop of their own, however many come at once; together they show the runs that one shows', async () => {
  const state = new State();
  state.load(Array.from({ length: 200 }, (_, n) => stored(`/r/k${String(n).padStart(4, '0')}`, 1)));
  const { snapshot } = state;
  const matches = ({ key }: Stored): boolean => {
    const longUntilMs = performance.now() + (key === '/r/k0000' ? 20 : 0);
    while (performance.now() < longUntilMs);
    return true;
  };
  const listings: (readonly Run[] | undefined)[] = [];
  const list = async (): Promise<unknown> => listings.push((await pageOf(snapshot, { prefix: '/r/', freshness: 'any', limit: 200, matches }, 1)).runs);
  const turns = await countTurns(() => Promise.all(Array.from({ length: 10 }, list)));
  assert.ok(turns >= 9, `others had ${turns} turns`);
  for (const runs of listings) assert.ok(runs?.length === snapshot.length && runs.every((run, at) => run === snapshot[at]));
});

test('a run is looked through once for a text, and every time without one', () => {
  const run: Run = { items: [stored('/a', 0), stored('/b', 1)] };
  let looks = 0;
  const matches = (one: Stored): boolean => {
    looks += 1;
    return ofGroup(1)(one);
  };
  const looksFor = (text: string | undefined): number => {
    looks = 0;
    assert.deepEqual(keysOf(selectedOf(run, matches, text).items), ['/b']);
    return looks;
  };
  assert.deepEqual(['a', 'a', undefined, undefined].map(looksFor), [2, 0, 2, 2]);
  assert.equal(selectedOf(run, matches, 'a'), selectedOf(run, matches, 'a'));
});

test('a text counts from when it is asked for again; a very long one never does', () => {
  const long = 'x'.repeat(1_000);
  assert.deepEqual(['new', 'new', long, long, undefined].map(repeated), [undefined, 'new', undefined, undefined, undefined]);
});

test('few selectors are remembered', () => {
  const run: Run = { items: [stored('/a', 0)] };
  const first = selectedOf(run, ofGroup(1), '0');
  for (let other = 1; other < 8; other++) selectedOf(run, ofGroup(1), String(other));
  assert.equal(selectedOf(run, ofGroup(1), '0'), first);
  selectedOf(run, ofGroup(1), '8');
  assert.notEqual(selectedOf(run, ofGroup(1), '0'), first);
});

test('a run that matches as a whole stays the same run', () => {
  const run: Run = { items: [stored('/a', 1), stored('/b', 1)] };
  assert.equal(selectedOf(run, ofGroup(1), 'all'), run);
});
