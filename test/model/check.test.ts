import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { check } from './check.ts';
import type { GetRecord, History, Item, ListRecord, WatchEventRecord, WatchRecord, WriteRecord } from './history.ts';

const item = (key: string, value: string, revision: number): Item => ({ key, value, revision });
const event = (type: 'ADDED' | 'MODIFIED' | 'DELETED', key: string, value: string, revision: number): WatchEventRecord => ({ type, item: item(key, value, revision) });
const bookmark = (revision: number): WatchEventRecord => ({ type: 'BOOKMARK', revision });

/** `x` is created at 2 and updated at 4, `y` is created at 3 and deleted at 5. */
const WRITES: readonly WriteRecord[] = [
  { key: 'x', op: 'create', value: '1-a', expect: 0, start: 1, end: 2, outcome: 'done', revision: 2 },
  { key: 'y', op: 'create', value: '2-b', expect: 0, start: 3, end: 4, outcome: 'done', revision: 3 },
  { key: 'x', op: 'update', value: '3-b', expect: 2, start: 5, end: 6, outcome: 'done', revision: 4 },
  { key: 'y', op: 'delete', value: undefined, expect: 3, start: 7, end: 8, outcome: 'done' },
];
const EVENTS = [event('ADDED', 'x', '1-a', 2), event('ADDED', 'y', '2-b', 3), event('MODIFIED', 'x', '3-b', 4), event('DELETED', 'y', '2-b', 5)];
const WATCH: WatchRecord = { since: 1, start: 0, end: 9, events: EVENTS, isExpired: false, completeTo: 5 };

const history = (more: Partial<History> = {}): History => ({ writes: WRITES, gets: [], lists: [], watches: [WATCH], compactions: [], ...more });
const watching = (watch: Partial<WatchRecord>): readonly string[] => check(history({ watches: [WATCH, { ...WATCH, ...watch }] }));
const listing = (list: Partial<ListRecord>): readonly string[] =>
  check(history({ lists: [{ wanted: 'latest', revision: 5, items: [item('x', '3-b', 4)], start: 9, end: 10, ...list }] }));
const reading = (get: Partial<GetRecord>): readonly string[] =>
  check(history({ gets: [{ key: 'x', wanted: 'latest', found: item('x', '3-b', 4), start: 9, end: 10, ...get }] }));
const writing = (write: Partial<WriteRecord>): readonly string[] =>
  check(history({ writes: [...WRITES, { key: 'x', op: 'update', value: '4-a', expect: 4, start: 9, end: 10, outcome: 'done', revision: 6, ...write }] }));

describe('a history without fault', () => {
  it('has no problems', () => {
    assert.deepEqual(check(history()), []);
    assert.deepEqual(listing({}), []);
    assert.deepEqual(reading({}), []);
    assert.deepEqual(writing({}), []);
  });

  it('may contain writes nobody knows the end of', () => {
    assert.deepEqual(writing({ outcome: 'unknown', end: Infinity, revision: undefined as never }), []);
  });
});

describe('writes', () => {
  const cases: readonly (readonly [string, Partial<WriteRecord>, RegExp])[] = [
    ['that share a revision', { revision: 4 }, /one revision for two changes/],
    ['that do not replace what they expected', { expect: 2 }, /expected 2, and there stood 4/],
    ['that create what exists', { op: 'create', expect: 0 }, /expected 0, and there stood 4/],
    ['that change what does not exist', { key: 'y', op: 'patch' }, /changed what did not exist/],
    ['that get a lower revision than one answered before', { key: 'z', op: 'create', expect: 0, revision: 1 }, /got 1 after that of x was answered with 4/],
    ['that are refused without reason', { outcome: 'refused', revision: undefined as never }, /was refused, though nothing had changed/],
    ['that are acknowledged and lost', { op: 'delete', value: undefined, revision: undefined as never }, /nobody ever saw it/],
  ];
  for (const [name, write, problem] of cases) it(`${name} are found`, () => assert.match(writing(write).join('\n'), problem));
});

describe('reads', () => {
  it('that show an older moment than was known are found, unless they ask for any', () => {
    const old = { revision: 3, items: [item('x', '1-a', 2), item('y', '2-b', 3)] };
    assert.match(listing(old).join('\n'), /shows 3, and 4 was known before/);
    assert.deepEqual(listing({ ...old, wanted: 'any' }), []);
    assert.deepEqual(listing({ ...old, wanted: { exactly: 3 } }), []);
    assert.match(listing({ ...old, wanted: { exactly: 2 } }).join('\n'), /a list of 2 shows 3/);
    assert.match(listing({ ...old, wanted: { notOlderThan: 4 } }).join('\n'), /shows 3, and 4 was known/);
  });

  it('that mix two moments are found', () => {
    assert.match(listing({ revision: 4, items: [item('x', '3-b', 4)] }).join('\n'), /shows nothing in place of y/);
  });

  it('of one object that are stale, or from the future, are found', () => {
    assert.match(reading({ found: item('x', '1-a', 2) }).join('\n'), /from 4 on that was not so/);
    assert.deepEqual(reading({ found: item('x', '1-a', 2), start: 4.1, end: 10 }), []);
    assert.match(reading({ found: undefined }).join('\n'), /finds nothing/);
    assert.match(reading({ key: 'y', found: undefined, start: 4.1, end: 4.2 }).join('\n'), /finds nothing/);
    assert.match(reading({ start: 4.1, end: 4.2 }).join('\n'), /that was not so/);
  });
});

describe('watches', () => {
  const cases: readonly (readonly [string, Partial<WatchRecord>, RegExp])[] = [
    ['that miss a change', { events: EVENTS.toSpliced(1, 1) }, /misses y = 2-b at 3/],
    ['that miss the last change', { events: EVENTS.slice(0, 3) }, /misses y removed at 5/],
    ['that get a change twice', { events: [...EVENTS.slice(0, 2), ...EVENTS.slice(1)] }, /gets 3 twice/],
    ['that get changes in the wrong order', { events: [EVENTS[1]!, EVENTS[0]!, ...EVENTS.slice(2)] }, /gets 2 after 3/],
    ['that get what lies before their start', { since: 2 }, /gets 2 after 2/],
    ['whose bookmark comes too early', { events: [EVENTS[0]!, bookmark(3), ...EVENTS.slice(1)] }, /gets 3 after a bookmark at 3/],
    ['whose bookmark hides what is missing', { events: [EVENTS[0]!, bookmark(4)], completeTo: 0 }, /misses y = 2-b at 3/],
    ['whose bookmark goes back', { events: [...EVENTS, bookmark(3)] }, /has a bookmark at 3 behind 5/],
    ['that call a creation a change', { events: [event('MODIFIED', 'x', '1-a', 2), ...EVENTS.slice(1)] }, /gets MODIFIED of x at 2 in place of ADDED/],
    ['that show another last state', { events: [...EVENTS.slice(0, 3), event('DELETED', 'y', '9-b', 5)] }, /with 9-b in place of 2-b/],
    ['that are refused without reason', { isExpired: true, events: [] }, /nothing was compacted that far/],
  ];
  for (const [name, watch, problem] of cases) it(`${name} are found`, () => assert.match(watching(watch).join('\n'), problem));

  it('may be cut off anywhere', () => {
    for (let length = 0; length < EVENTS.length; length++) assert.deepEqual(watching({ events: EVENTS.slice(0, length), completeTo: 0 }), []);
  });

  it('may begin with the state of any moment that is new enough', () => {
    const state = [event('ADDED', 'x', '3-b', 4), event('ADDED', 'y', '2-b', 3)];
    assert.deepEqual(watching({ since: 'any', events: [...state, EVENTS[3]!] }), []);
    assert.deepEqual(watching({ since: 'latest', start: 4.1, events: [...state, EVENTS[3]!] }), []);
    assert.notDeepEqual(watching({ since: 'any', events: [state[1]!, state[0]!, EVENTS[3]!] }), []);
    assert.notDeepEqual(watching({ since: 'latest', start: 6.1, events: [event('ADDED', 'x', '1-a', 2), ...EVENTS.slice(1)] }), []);
    assert.notDeepEqual(watching({ since: 'any', events: state }), []);
  });

  it('that ask for some see what begins and stops to match', () => {
    const only = { ending: 'a' };
    const seen = [event('ADDED', 'x', '1-a', 2), event('DELETED', 'x', '1-a', 4)];
    assert.deepEqual(watching({ only, events: seen }), []);
    assert.match(watching({ only, events: seen.slice(0, 1) }).join('\n'), /misses x removed at 4/);
    assert.deepEqual(watching({ only: { key: 'y' }, events: [EVENTS[1]!, EVENTS[3]!] }), []);
  });

  it('may be refused what was compacted, and what is compacted later may not', () => {
    const watches = [WATCH, { ...WATCH, events: [], completeTo: 0, isExpired: true }];
    assert.deepEqual(check(history({ watches, compactions: [{ before: 2, start: 8 }] })), []);
    assert.match(check(history({ watches, compactions: [{ before: 2, start: 10 }] })).join('\n'), /nothing was compacted that far/);
  });
});
