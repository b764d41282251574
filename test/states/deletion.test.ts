import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { TestJson } from '#testing';
import { Cluster, DIALECTS } from '../controllers/cluster.ts';
import { REFUSED, walkAtRandom, walkEveryCell, type Subject, type Table } from './table.ts';

const HOLD = 'example.com/hold';
/** What the garbage collector is asked for by, and takes away when it is done. */
const COLLECTED = ['foregroundDeletion', 'orphan'];

/** Being deleted or not, and what holds it: somebody's finalizer, and one of those for the garbage collector. */
type State = 'live' | 'live held' | `going${'' | ' held'} ${'foreground' | 'orphan'}` | 'going held' | 'gone';

const EVENTS = ['create', 'hold', 'release', 'touch', 'delete', 'background', 'foreground', 'orphan', 'collect'] as const;
type Event = (typeof EVENTS)[number];

/** What becomes of an object without a grace period while nobody collects. */
const NEXT: Table<State, Event> = {
  live: { create: REFUSED, hold: 'live held', release: 'live', touch: 'live', delete: 'gone', background: 'gone', foreground: 'going foreground', orphan: 'going orphan', collect: 'live' },
  'live held': { create: REFUSED, hold: 'live held', release: 'live', touch: 'live held', delete: 'going held', background: 'going held', foreground: 'going held foreground', orphan: 'going held orphan', collect: 'live held' },
  'going held': { create: REFUSED, hold: 'going held', release: 'gone', touch: 'going held', delete: 'going held', background: 'going held', foreground: 'going held foreground', orphan: 'going held orphan', collect: 'going held' },
  'going foreground': { create: REFUSED, hold: REFUSED, release: 'going foreground', touch: 'going foreground', delete: 'going foreground', background: 'gone', foreground: 'going foreground', orphan: 'going orphan', collect: 'gone' },
  'going orphan': { create: REFUSED, hold: REFUSED, release: 'going orphan', touch: 'going orphan', delete: 'going orphan', background: 'gone', foreground: 'going foreground', orphan: 'going orphan', collect: 'gone' },
  'going held foreground': { create: REFUSED, hold: 'going held foreground', release: 'going foreground', touch: 'going held foreground', delete: 'going held foreground', background: 'going held', foreground: 'going held foreground', orphan: 'going held orphan', collect: 'going held' },
  'going held orphan': { create: REFUSED, hold: 'going held orphan', release: 'going orphan', touch: 'going held orphan', delete: 'going held orphan', background: 'going held', foreground: 'going held foreground', orphan: 'going held orphan', collect: 'going held' },
  gone: { create: 'live', hold: REFUSED, release: REFUSED, touch: REFUSED, delete: REFUSED, background: REFUSED, foreground: REFUSED, orphan: REFUSED, collect: REFUSED },
};

/** `done`: only finalizers hold it, its time is up. */
type TimedState = 'live' | 'live held' | 'going' | 'going held' | 'done held' | 'gone';

const TIMED_EVENTS = ['create', 'hold', 'release', 'touch', 'slowly', 'sooner', 'atOnce'] as const;
type TimedEvent = (typeof TIMED_EVENTS)[number];

/** What becomes of a pod on a node, which has time to end. */
const TIMED_NEXT: Table<TimedState, TimedEvent> = {
  live: { create: REFUSED, hold: 'live held', release: 'live', touch: 'live', slowly: 'going', sooner: 'going', atOnce: 'gone' },
  'live held': { create: REFUSED, hold: 'live held', release: 'live', touch: 'live held', slowly: 'going held', sooner: 'going held', atOnce: 'done held' },
  going: { create: REFUSED, hold: REFUSED, release: 'going', touch: 'going', slowly: 'going', sooner: 'going', atOnce: 'gone' },
  'going held': { create: REFUSED, hold: 'going held', release: 'going', touch: 'going held', slowly: 'going held', sooner: 'going held', atOnce: 'done held' },
  'done held': { create: REFUSED, hold: 'done held', release: 'gone', touch: 'done held', slowly: 'done held', sooner: 'done held', atOnce: 'done held' },
  gone: { create: 'live', hold: REFUSED, release: REFUSED, touch: REFUSED, slowly: REFUSED, sooner: REFUSED, atOnce: REFUSED },
};

for (const dialect of DIALECTS) {
  describe(`states of an object under deletion (${dialect})`, () => {
    let cluster: Cluster;
    let count = 0;
    before(async () => {
      cluster = await Cluster.start({ dialect, controllers: 'none', admission: { disable: ['ServiceAccount'] } });
    });
    after(() => cluster.server.close());

    /** One object, and what may never happen to it on the way: that it comes back, or that its end is put off. */
    class Mortal {
      readonly #collection: string;
      readonly #name: string;
      readonly #spec: object;
      #uid = '';
      #until: string | undefined;

      constructor(collection: string, name: string, spec: object) {
        this.#collection = collection;
        this.#name = name;
        this.#spec = spec;
      }

      async create(): Promise<number> {
        const { status, body } = await cluster.server.request('POST', cluster.path(this.#collection), { metadata: { name: this.#name }, ...this.#spec });
        if (status === 201) [this.#uid, this.#until] = [body.metadata.uid as string, undefined];
        return status;
      }

      async delete(options: object): Promise<number> {
        const body = { kind: 'DeleteOptions', apiVersion: 'v1', ...options };
        return (await cluster.server.request('DELETE', cluster.path(this.#collection, this.#name), body)).status;
      }

      async touch(): Promise<number> {
        return (await cluster.server.patch('merge', this.#path, { metadata: { labels: { touched: String(++count) } } })).status;
      }

      async finalizers(change: (now: readonly string[]) => readonly string[]): Promise<number> {
        const { status, body } = await cluster.server.request('GET', this.#path);
        if (status !== 200) return status;
        const finalizers = change((body.metadata.finalizers ?? []) as readonly string[]);
        return (await cluster.server.patch('merge', this.#path, { metadata: { finalizers } })).status;
      }

      /** As it is; undefined: gone. */
      async look(): Promise<TestJson | undefined> {
        const { status, body } = await cluster.server.request('GET', this.#path);
        if (status === 404) return undefined;
        const { uid, deletionTimestamp } = body.metadata as { readonly uid: string; readonly deletionTimestamp?: string };
        assert.equal(uid, this.#uid, 'another object has its name');
        if (this.#until !== undefined) assert.ok(deletionTimestamp !== undefined && deletionTimestamp <= this.#until, 'its deletion was taken back or put off');
        this.#until = deletionTimestamp;
        return body;
      }

      get #path(): string {
        return cluster.path(this.#collection, this.#name);
      }
    }

    const holds = (one: TestJson, finalizer: string): boolean => (one.metadata.finalizers ?? []).includes(finalizer);

    async function makeMap(): Promise<Subject<State, Event>> {
      const map = new Mortal('default/configmaps', `map-${++count}`, {});
      await map.create();
      const send: Readonly<Record<Event, () => Promise<number>>> = {
        create: () => map.create(),
        hold: () => map.finalizers((now) => [...new Set([...now, HOLD])]),
        release: () => map.finalizers((now) => now.filter((one) => one !== HOLD)),
        touch: () => map.touch(),
        delete: () => map.delete({}),
        background: () => map.delete({ propagationPolicy: 'Background' }),
        foreground: () => map.delete({ propagationPolicy: 'Foreground' }),
        orphan: () => map.delete({ propagationPolicy: 'Orphan' }),
        collect: () => map.finalizers((now) => now.filter((one) => !COLLECTED.includes(one))),
      };
      const state = async (): Promise<State> => {
        const live = await map.look();
        if (live === undefined) return 'gone';
        const words = [live.metadata.deletionTimestamp ? 'going' : 'live', holds(live, HOLD) && 'held', holds(live, 'foregroundDeletion') && 'foreground', holds(live, 'orphan') && 'orphan'];
        return words.filter(Boolean).join(' ') as State;
      };
      return { begin: 'live', send: (event) => send[event](), state };
    }

    async function makePod(): Promise<Subject<TimedState, TimedEvent>> {
      const pod = new Mortal('default/pods', `pod-${++count}`, { spec: { nodeName: 'n', containers: [{ name: 'c', image: 'c' }] } });
      await pod.create();
      const send: Readonly<Record<TimedEvent, () => Promise<number>>> = {
        create: () => pod.create(),
        hold: () => pod.finalizers((now) => [...new Set([...now, HOLD])]),
        release: () => pod.finalizers((now) => now.filter((one) => one !== HOLD)),
        touch: () => pod.touch(),
        slowly: () => pod.delete({ gracePeriodSeconds: 30 }),
        sooner: () => pod.delete({ gracePeriodSeconds: 10 }),
        atOnce: () => pod.delete({ gracePeriodSeconds: 0 }),
      };
      const state = async (): Promise<TimedState> => {
        const live = await pod.look();
        if (live === undefined) return 'gone';
        const { deletionTimestamp, deletionGracePeriodSeconds } = live.metadata;
        const life = deletionTimestamp === undefined ? 'live' : deletionGracePeriodSeconds > 0 ? 'going' : 'done';
        return `${life}${holds(live, HOLD) ? ' held' : ''}` as TimedState;
      };
      return { begin: 'live', send: (event) => send[event](), state };
    }

    test('R3.1-01 R3.1-02 R3.1-03 R3.1-04 R3.1-05 R3.1-06 every cell of the table, on the shortest way there', () => walkEveryCell(NEXT, makeMap, 'live'));
    test('R3.1-03 R3.1-06 random walks stay within the table', () => walkAtRandom(NEXT, makeMap, EVENTS));
    test('every cell of the table of objects with a grace period', () => walkEveryCell(TIMED_NEXT, makePod, 'live'));
    test('random walks of objects with a grace period stay within the table', () => walkAtRandom(TIMED_NEXT, makePod, TIMED_EVENTS));
  });
}
