import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { brandOf, createCatalog, type Follower, type OpenCatalog } from '#api';
import { nextTurn, silentLog } from '#base';
import { CustomResources, type CustomResourcesOptions } from './custom-resources.ts';
import { conditionOf, isTrue, nameOf, type Definition } from './definition.ts';

const definition = (plural: string, kind: string): Definition =>
  ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: { group: 'example.com', scope: 'Namespaced', names: { plural, singular: plural, kind, listKind: `${kind}List` }, versions: [{ name: 'v1', served: true, storage: true }] },
    status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] },
  }) as unknown as Definition;

/** A store of which each server hears in the order of its writes, at a pace of its own. */
class SharedStore {
  readonly log: Definition[] = [];
  readonly live = new Map<string, Definition>();

  put(one: Definition): number {
    const written = { ...one, metadata: { ...one.metadata, resourceVersion: String(this.log.length + 1) } };
    this.live.set(nameOf(one), written);
    const established = [...this.live.values()].filter((each) => isTrue(each, 'Established'));
    const kinds = established.map(({ spec }) => spec.names.kind);
    assert.equal(new Set(kinds).size, kinds.length, `${kinds.join(', ')} are established`);
    return this.log.push(written);
  }
}

class Server {
  readonly catalog: OpenCatalog = createCatalog([], brandOf('kubernetes'));
  readonly #store: SharedStore;
  readonly #waiting: { readonly revision: number; readonly resolve: (isWritten: boolean) => void }[] = [];
  #heard = 0;
  #follower: Follower | undefined;

  constructor(store: SharedStore) {
    this.#store = store;
  }

  async start(): Promise<void> {
    const objects = { follow: (_kind: unknown, follower: Follower) => Promise.resolve(void (this.#follower = follower)) };
    const registries = { of: () => assert.fail('the objects cannot be read') };
    const clock = { nowMs: () => 0, after: () => () => {} };
    const write = (one: Definition): Promise<boolean> => {
      if (this.#store.live.get(nameOf(one))?.metadata.resourceVersion !== one.metadata.resourceVersion) return Promise.resolve(false);
      const revision = this.#store.put(one);
      return new Promise((resolve) => this.#waiting.push({ revision, resolve }));
    };
    const options = { catalog: this.catalog, objects, registries, log: silentLog, clock, write, isShared: true } as unknown as CustomResourcesOptions;
    await new CustomResources(options).start(new AbortController().signal);
  }

  /** Hears of one more write. false: it knows of all of them. */
  hear(): boolean {
    const next = this.#store.log[this.#heard];
    if (next === undefined) return false;
    this.#heard += 1;
    this.#follower?.put(next);
    for (const { revision, resolve } of this.#waiting) if (revision <= this.#heard) resolve(true);
    return true;
  }
}

test('of definitions that claim a kind at the same time with several servers one is established, whatever each server has heard of the others', async () => {
  const steps = fc.array(fc.nat(3), { maxLength: 60, size: 'max' });
  await fc.assert(
    fc.asyncProperty(steps, async (order) => {
      const store = new SharedStore();
      const servers = [new Server(store), new Server(store), new Server(store)];
      await Promise.all(servers.map((server) => server.start()));
      const rivals = ['as', 'bs', 'cs'].map((plural) => definition(plural, 'Thing'));
      rivals.push(definition('ds', 'Other'));
      for (const step of order) {
        const server = servers[step];
        if (server !== undefined) server.hear();
        else if (rivals.length > 0) store.put(rivals.shift() as Definition);
        await nextTurn();
      }
      for (const one of rivals) store.put(one);
      for (let isNew = true; isNew; await nextTurn()) isNew = servers.map((server) => server.hear()).some(Boolean);
      const live = [...store.live.values()];
      assert.deepEqual(live.filter((one) => isTrue(one, 'Established')).map(({ spec }) => spec.names.kind).toSorted(), ['Other', 'Thing']);
      assert.deepEqual(live.filter((one) => !isTrue(one, 'Established')).map((one) => conditionOf(one, 'NamesAccepted')?.reason), ['ListKindConflict', 'ListKindConflict']);
    }),
  );
});
