import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
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

interface Seen {
  readonly query: WatchQuery;
  readonly events: WatchEvent[];
  /** The keys of the objects that the selector was asked about. */
  readonly lookedAt: Set<string>;
}

/** Registers a watch of the pods under `prefix`; with `node`: of those on it. */
function watchPods(dispatch: Dispatch<ApiObject>, prefix: string, node: string | undefined, signal: AbortSignal): Seen {
  const events: WatchEvent[] = [];
  const lookedAt = new Set<string>();
  const matches = ({ key, fields }: Stored): boolean => {
    lookedAt.add(key);
    return fields['spec.nodeName'] === node;
  };
  const selector = node === undefined ? {} : { matches, required: { key: 'spec.nodeName', value: node } };
  const query: WatchQuery = { prefix, since: 1, bookmarks: false, ...selector };
  const sink = {
    events(batch: readonly WatchEvent[]): boolean {
      events.push(...batch);
      return true;
    },
    end: () => {},
  };
  dispatch.add(new Watcher<ApiObject>(query, sink, signal));
  return { query, events, lookedAt };
}

const NODES = ['', 'a', 'b', 'c'];
const node = fc.constantFrom(...NODES);
const change = fc.record({ name: fc.nat({ max: 3 }), namespace: fc.constantFrom('x', 'y'), node: fc.option(node, { nil: undefined }) });
const watches = fc.array(fc.record({ prefix: fc.constantFrom('/r/pods/', '/r/pods/x/', '/r/pods/y/', '/r/pods/x/1'), node: fc.option(node, { nil: undefined }) }), { maxLength: 12 });

test('R4.5-02 every watch is told of the changes that its selector takes, and nothing of the others is looked at', () => {
  fc.assert(
    fc.property(watches, fc.array(change, { maxLength: 30 }), fc.nat({ max: 5 }), (asked, changes, left) => {
      const dispatch = new Dispatch<ApiObject>();
      const stops = asked.map(() => new AbortController());
      const all = asked.map(({ prefix, node: wanted }, at) => watchPods(dispatch, prefix, wanted, (stops[at] as AbortController).signal));
      const live = new Map<string, OnNode>();
      const told = all.map((): string[] => []);
      const concerned = all.map(() => new Set<string>());
      // Some watches end before anything happens: they are told nothing.
      stops.slice(0, left).forEach((stop) => stop.abort());
      let revision = 1;
      for (const { name, namespace, node: next } of changes) {
        const key = `/r/pods/${namespace}/${name}`;
        const before = live.get(key);
        if (before === undefined && next === undefined) continue;
        revision++;
        const after = next === undefined ? undefined : { node: next, revision };
        const states = { before: before && storedOf(key, before), after: after && storedOf(key, after) };
        dispatch.send([new ChangeEvents(key, revision, states, select)]);
        if (after === undefined) live.delete(key);
        else live.set(key, after);
        all.forEach(({ query: { prefix, required } }, at) => {
          if (at < left || !(key === prefix || (prefix.endsWith('/') && key.startsWith(prefix)))) return;
          const [did, does] = [before?.node, next].map((one) => one !== undefined && (required === undefined || one === required.value));
          if (did || does) concerned[at]?.add(key);
          if (did || does) told[at]?.push(`${did ? (does ? 'MODIFIED' : 'DELETED') : 'ADDED'} ${key} ${revision}`);
        });
      }
      all.forEach(({ events, lookedAt }, at) => {
        assert.deepEqual(events.map((event) => `${event.type} ${event.type === 'BOOKMARK' ? '' : event.stored.key} ${event.revision}`), told[at]);
        assert.deepEqual([...lookedAt].filter((key) => concerned[at]?.has(key) !== true), []);
      });
    }),
  );
});
