import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queryObjects } from 'node:v8';
import fc from 'fast-check';
import { PrefixIndex } from '#base';
import type { ApiObject } from '#api';
import { ChangeEvents, createStored, Watcher, type Stored, type WatchEvent, type WatchQuery } from '#storage';
import { Dispatch } from './dispatch.ts';

type Pod = ApiObject & { readonly spec: { readonly nodeName: string } };

const select = (object: ApiObject): Readonly<Record<string, string>> => ({ 'spec.nodeName': (object as Pod).spec.nodeName });

interface OnNode {
  readonly node: string;
  readonly revision: number;
}

function storedOf(key: string, { node, revision }: OnNode): Stored {
  const value = new TextEncoder().encode(JSON.stringify({ kind: 'Pod', apiVersion: 'v1', metadata: {}, spec: { nodeName: node } }));
  return createStored({ key, value, revision }, select);
}

interface Asked {
  readonly prefix: string;
  /** Which pods: those on a node. Absent: all. */
  readonly selector?: { readonly node: string; readonly isRequired: boolean; readonly hasText: boolean } | undefined;
  /** How far ahead of the newest revision it begins. */
  readonly ahead: number;
}

/** A watch of pods, and the model of it. */
interface Watched {
  readonly query: WatchQuery;
  /** Watches of the same name may be told by one of them. */
  readonly name: string | symbol;
  readonly node: string | undefined;
  readonly stop: AbortController;
  readonly events: WatchEvent[];
  readonly told: string[];
}

/** Begins a watch. `lookedAt` gets the names of those whose selectors are asked. */
function begin(dispatch: Dispatch<ApiObject>, { prefix, selector, ahead }: Asked, revision: number, lookedAt: Set<string | symbol>): Watched {
  const text = selector?.hasText === true ? `${selector.node} ${selector.isRequired}` : undefined;
  const name = selector !== undefined && text === undefined ? Symbol('alone') : `${prefix} ${text}`;
  const chosen = selector && {
    matches: ({ fields }: Stored): boolean => (lookedAt.add(name), fields['spec.nodeName'] === selector.node),
    matchesText: text,
    required: selector.isRequired ? { key: 'spec.nodeName', value: selector.node } : undefined,
  };
  const query: WatchQuery = { prefix, since: revision + ahead, bookmarks: false, ...chosen };
  const events: WatchEvent[] = [];
  const stop = new AbortController();
  const sink = { events: (batch: readonly WatchEvent[]): boolean => events.push(...batch) > 0, end: () => {} };
  dispatch.add(new Watcher<ApiObject>(query, sink, stop.signal));
  return { query, name, node: selector?.node, stop, events, told: [] };
}

const node = fc.constantFrom('', 'a', 'b');
const change = fc.record({ name: fc.nat({ max: 1 }), namespace: fc.constantFrom('x', 'y'), node: fc.option(node, { nil: undefined }) });
const asked = fc.record({
  prefix: fc.constantFrom('/r/pods/', '/r/pods/x/', '/r/pods/x/1'),
  selector: fc.option(fc.record({ node, isRequired: fc.boolean(), hasText: fc.boolean() }), { nil: undefined }),
  ahead: fc.nat({ max: 2 }),
});
const step = fc.oneof(
  { weight: 2, arbitrary: asked.map((begins) => ({ begins })) },
  { weight: 2, arbitrary: fc.nat().map((ends) => ({ ends })) },
  { weight: 3, arbitrary: fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) => ({ changes })) },
);

test('R4.5-02 every watch is told of the changes that its selector takes from its begin to its end, and no other watch is asked', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      const dispatch = new Dispatch<ApiObject>();
      const lookedAt = new Set<string | symbol>();
      const all: Watched[] = [];
      const on = new Set<Watched>();
      const live = new Map<string, OnNode>();
      let revision = 1;
      for (const does of steps) {
        if ('begins' in does) {
          const watched = begin(dispatch, does.begins, revision, lookedAt);
          all.push(watched);
          on.add(watched);
          continue;
        }
        if ('ends' in does) {
          const ending = [...on][does.ends % on.size];
          if (ending !== undefined) on.delete(ending);
          ending?.stop.abort();
          continue;
        }
        const batch: ChangeEvents<ApiObject>[] = [];
        const concerned = new Set<string | symbol>();
        for (const { name, namespace, node: next } of does.changes) {
          const key = `/r/pods/${namespace}/${name}`;
          const before = live.get(key);
          if (before === undefined && next === undefined) continue;
          revision++;
          const after = next === undefined ? undefined : { node: next, revision };
          batch.push(new ChangeEvents(key, revision, { before: before && storedOf(key, before), after: after && storedOf(key, after) }, select));
          if (after === undefined) live.delete(key);
          else live.set(key, after);
          for (const { query, name: ofWatch, node: wanted, told } of on) {
            const { prefix, required, since } = query;
            if (!(key === prefix || (prefix.endsWith('/') && key.startsWith(prefix)))) continue;
            const [did, now] = [before?.node, next].map((one) => one !== undefined && (wanted === undefined || one === wanted));
            if (did || now || required === undefined) concerned.add(ofWatch);
            if ((did || now) && revision > Number(since)) told.push(`${did ? (now ? 'MODIFIED' : 'DELETED') : 'ADDED'} ${key} ${revision}`);
          }
        }
        lookedAt.clear();
        dispatch.send(batch);
        assert.deepEqual([...lookedAt].filter((one) => !concerned.has(one)), []);
      }
      for (const { events, told } of all) assert.deepEqual(events.map((event) => `${event.type} ${event.type === 'BOOKMARK' ? '' : event.stored.key} ${event.revision}`), told);
    }),
    { numRuns: 200 },
  );
});

test('watches that have ended leave nothing behind, whatever they asked for', () => {
  const dispatch = new Dispatch<ApiObject>();
  const kept = (): readonly number[] => [Watcher, PrefixIndex, Map].map((one) => queryObjects(one, { format: 'count' }));
  const before = kept();
  const stops = Array.from({ length: 8 }, (_, at) => {
    const selector = at % 2 === 0 ? undefined : { node: `${at >> 1}`, isRequired: true, hasText: at % 4 === 1 };
    return begin(dispatch, { prefix: `/r/pods/${at % 3}/`, selector, ahead: 0 }, 1, new Set()).stop;
  });
  for (const stop of stops) stop.abort();
  assert.deepEqual(kept(), before);
  dispatch.bookmark(2);
});
