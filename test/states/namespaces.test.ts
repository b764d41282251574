import { after, before, describe, test } from 'node:test';
import { Cluster, DIALECTS } from '../controllers/cluster.ts';
import { REFUSED, walkAtRandom, walkEveryCell, type Subject, type Table } from './table.ts';

const HOLD = 'example.com/hold';
/** Finalizers of the namespace's own sort, which are in `spec`. */
const PART = 'example.com/part';

/** Being deleted or not; `part`: its content is not declared empty yet; `held`: by a finalizer as any object may have one. */
type State = `${'active' | 'going'}${'' | ' part'}${'' | ' held'}` | 'gone';

const EVENTS = ['create', 'delete', 'addPart', 'dropPart', 'hold', 'release', 'touch', 'fill', 'sayActive', 'sayTerminating'] as const;
type Event = (typeof EVENTS)[number];

/** What becomes of a namespace while no controller empties it. */
const NEXT: Table<State, Event> = {
  active: { create: REFUSED, delete: 'going', addPart: 'active part', dropPart: 'active', hold: 'active held', release: 'active', touch: 'active', fill: 'active', sayActive: 'active', sayTerminating: REFUSED },
  'active part': { create: REFUSED, delete: 'going part', addPart: 'active part', dropPart: 'active', hold: 'active part held', release: 'active part', touch: 'active part', fill: 'active part', sayActive: 'active part', sayTerminating: REFUSED },
  'active held': { create: REFUSED, delete: 'going held', addPart: 'active part held', dropPart: 'active held', hold: 'active held', release: 'active', touch: 'active held', fill: 'active held', sayActive: 'active held', sayTerminating: REFUSED },
  'active part held': { create: REFUSED, delete: 'going part held', addPart: 'active part held', dropPart: 'active held', hold: 'active part held', release: 'active part', touch: 'active part held', fill: 'active part held', sayActive: 'active part held', sayTerminating: REFUSED },
  // Nothing holds it any longer: whatever comes next removes it.
  going: { create: REFUSED, delete: 'gone', addPart: 'going part', dropPart: 'gone', hold: REFUSED, release: 'gone', touch: 'gone', fill: REFUSED, sayActive: REFUSED, sayTerminating: 'gone' },
  'going part': { create: REFUSED, delete: 'going part', addPart: 'going part', dropPart: 'gone', hold: REFUSED, release: 'going part', touch: 'going part', fill: REFUSED, sayActive: REFUSED, sayTerminating: 'going part' },
  'going held': { create: REFUSED, delete: 'going held', addPart: 'going part held', dropPart: 'going held', hold: 'going held', release: 'gone', touch: 'going held', fill: REFUSED, sayActive: REFUSED, sayTerminating: 'going held' },
  'going part held': { create: REFUSED, delete: 'going part held', addPart: 'going part held', dropPart: 'going held', hold: 'going part held', release: 'going part', touch: 'going part held', fill: REFUSED, sayActive: REFUSED, sayTerminating: 'going part held' },
  gone: { create: 'active', delete: REFUSED, addPart: REFUSED, dropPart: REFUSED, hold: REFUSED, release: REFUSED, touch: REFUSED, fill: REFUSED, sayActive: REFUSED, sayTerminating: REFUSED },
};

for (const dialect of DIALECTS) {
  describe(`states of a namespace (${dialect})`, () => {
    let cluster: Cluster;
    let count = 0;
    before(async () => {
      cluster = await Cluster.start({ dialect, controllers: 'none' });
    });
    after(() => cluster.server.close());

    async function make(): Promise<Subject<State, Event>> {
      const name = `walk-${++count}`;
      const path = cluster.path('namespaces', name);
      const ask = async (method: string, at: string, body?: object): Promise<number> => (await cluster.server.request(method, at, body)).status;
      /** Reads, and writes back what has changed. */
      const change = async (subresource: string, part: (live: { readonly spec: { readonly finalizers?: readonly string[] } }) => object): Promise<number> => {
        const { status, body } = await cluster.server.request('GET', path);
        return status === 200 ? ask('PUT', `${path}${subresource}`, { ...body, ...part(body) }) : status;
      };
      const metadata = async (part: object): Promise<number> => (await cluster.server.patch('merge', path, { metadata: part })).status;
      const say = (phase: string) => (): Promise<number> => change('/status', () => ({ status: { phase } }));
      const send: Readonly<Record<Event, () => Promise<number>>> = {
        async create() {
          const status = await ask('POST', cluster.path('namespaces'), { metadata: { name } });
          // A new one brings a finalizer of its own.
          return status === 201 ? send.dropPart() : status;
        },
        delete: () => ask('DELETE', path),
        addPart: () => change('/finalize', ({ spec }) => ({ spec: { finalizers: [...new Set([...(spec.finalizers ?? []), PART])] } })),
        dropPart: () => change('/finalize', () => ({ spec: {} })),
        hold: () => metadata({ finalizers: [HOLD] }),
        release: () => metadata({ finalizers: [] }),
        touch: () => metadata({ labels: { touched: String(++count) } }),
        fill: () => ask('POST', cluster.path(`${name}/configmaps`), { metadata: { generateName: 'c-' } }),
        sayActive: say('Active'),
        sayTerminating: say('Terminating'),
      };
      const state = async (): Promise<State> => {
        const { status, body } = await cluster.server.request('GET', path);
        if (status === 404) return 'gone';
        const words = [
          body.metadata.deletionTimestamp === undefined ? 'active' : 'going',
          (body.spec.finalizers ?? []).length > 0 && 'part',
          (body.metadata.finalizers ?? []).length > 0 && 'held',
        ];
        return words.filter(Boolean).join(' ') as State;
      };
      await send.create();
      return { begin: 'active', send: (event) => send[event](), state };
    }

    test('R1-22 every cell of the table, on the shortest way there', () => walkEveryCell(NEXT, make, 'active'));
    test('R1-22 random walks stay within the table', () => walkAtRandom(NEXT, make, EVENTS));
  });
}
