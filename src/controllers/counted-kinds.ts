import { abortedBy } from '#base';
import type { ApiObject } from '#api';
import { openInformer, resourceName, withoutManagedFields, type ApiResource, type ControllerEnv, type Informer, type ResourceClient } from '#client';
import { countedBy, isQuotaNameOf, PersistentVolumeClaim, Pod, Service, type QuotaSubject } from '#kinds';
import { QuotaTotals } from './quota-totals.ts';

/** Core kinds that count for more than their number: their informers keep whole objects, as no other controller needs them. */
const WHOLE_KINDS = [Pod, Service, PersistentVolumeClaim] as const;
/** How long the first list of a kind may hold up the quotas that count it; one that takes longer is counted when it has come. */
const PATIENCE_MS = 10_000;

/** The name of a kind to count. */
export type KindName = Pick<QuotaSubject, 'group' | 'plural'>;

/** A kind that quotas count, with its objects and their sums. */
export interface CountedKind extends KindName {
  readonly informer: Informer;
  readonly totals: QuotaTotals;
  /** Whether its first list is likely to come soon. */
  readonly isExpected: boolean;
}

/** Hears of the counted kinds and their objects. */
export interface CountedListener {
  put(subject: QuotaSubject, before: ApiObject | undefined): void;
  removed(namespace: string): void;
  /** Quotas that count this kind are to be counted again. */
  changed(kind: KindName): void;
}

/** The kinds to count. */
export interface Followed {
  readonly kinds: readonly CountedKind[];
  readonly failures: readonly Failure[];
}

/** Why nobody can say now whether a kind is served. */
interface Failure extends KindName {
  readonly cause: unknown;
}

interface Entry extends CountedKind {
  readonly version: string;
  isExpected: boolean;
  readonly ending: AbortController;
}

/** Follows the kinds that quotas count, each in the version that the server prefers, from the moment a quota names it until none does. */
export class CountedKinds {
  readonly #env: ControllerEnv;
  readonly #listener: CountedListener;
  readonly #entries = new Map<string, Entry>();

  /** `env.signal`: ends all of them. */
  constructor(env: ControllerEnv, listener: CountedListener) {
    this.#env = env;
    this.#listener = listener;
  }

  /** The kinds that are followed. */
  all(): readonly CountedKind[] {
    return [...this.#entries.values()];
  }

  /** Whether one of these names of quotas counts the kind. */
  isNamed({ group, plural }: KindName, names: readonly string[]): boolean {
    return names.some((name) => isQuotaNameOf(group, plural, name, this.#env.client.brand));
  }

  /** The kinds that these names of quotas count, which are followed from now on. Those that the server does not have are left out. */
  async follow(names: readonly string[]): Promise<Followed> {
    const kinds = WHOLE_KINDS.filter(({ plural }) => this.isNamed({ group: '', plural }, names)).map((kind) => this.#openWhole(kind as typeof Pod));
    const failures: Failure[] = [];
    for (const { group, plural } of names.flatMap((name) => countedBy(name) ?? [])) {
      if (kinds.some((one) => one.group === group && one.plural === plural)) continue;
      try {
        const kind = this.#entries.get(resourceName({ group, plural })) ?? (await this.#openCount({ group, plural }));
        if (kind !== undefined) kinds.push(kind);
      } catch (cause) {
        failures.push({ group, plural, cause });
      }
    }
    return { kinds, failures };
  }

  /**
   * Looks at what the server has now, for all names of quotas: kinds that none names, that it does not have, or has in another version are followed no
   * longer. What cannot be discovered stays as it is. Never rejects.
   */
  async refresh(names: readonly string[]): Promise<void> {
    const wanted = [...new Set(names)];
    for (const entry of this.#entries.values()) if (!this.isNamed(entry, wanted)) this.#end(entry);
    const groups = new Map<string, Set<string>>();
    for (const { group, plural } of wanted.flatMap((name) => countedBy(name) ?? [])) {
      groups.set(group, (groups.get(group) ?? new Set()).add(plural));
    }
    for (const [group, plurals] of groups) await this.#refreshGroup(group, plurals).catch(() => {});
  }

  async #refreshGroup(group: string, plurals: Iterable<string>): Promise<void> {
    const { resources, failures } = await this.#env.client.discoverGroup(group);
    if (failures.length > 0) return;
    for (const plural of plurals) {
      const entry = this.#entries.get(resourceName({ group, plural }));
      if (entry?.version === resources.find((one) => isCountable(one, plural))?.version) continue;
      if (entry !== undefined) this.#end(entry);
      this.#listener.changed({ group, plural });
    }
  }

  /** Follows a kind of which only the number is counted; undefined: it is not served, so that there is nothing to count. */
  async #openCount({ group, plural }: KindName): Promise<CountedKind | undefined> {
    const { client } = this.#env;
    const { resources, failures } = await client.discoverGroup(group);
    const resource = resources.find((one) => isCountable(one, plural));
    if (resource === undefined && failures[0] !== undefined) throw failures[0].cause;
    return resource && this.#open(client.metadataAt(resource));
  }

  #openWhole(kind: typeof Pod): CountedKind {
    return this.#open(this.#env.client.of(kind), withoutManagedFields);
  }

  #open<T extends ApiObject>(objects: ResourceClient<T>, keep?: (object: T) => T): CountedKind {
    const { group, plural, version } = objects.resource;
    const known = this.#entries.get(resourceName({ group, plural }));
    if (known !== undefined) return known;
    const { client, retryClock, log, signal } = this.#env;
    const ending = abortedBy(signal);
    const informer = openInformer(objects, { retryClock, log, signal: ending.signal, ...(keep === undefined ? {} : { keep }) }) as unknown as Informer;
    const totals = new QuotaTotals({ group, plural, informer, brand: client.brand });
    const entry: Entry = { group, plural, version, informer, totals, isExpected: true, ending };
    this.#entries.set(resourceName(entry), entry);
    informer.listen({
      put: (object, before) => {
        totals.changed(object.metadata.namespace ?? '', object, before);
        this.#listener.put({ group, plural, object }, before);
      },
      remove: ({ metadata: { namespace = '' } }, before) => {
        totals.changed(namespace, undefined, before);
        this.#listener.removed(namespace);
      },
    });
    this.#expect(entry);
    return entry;
  }

  /** Has quotas counted when the first list has come, and without it where that takes long. */
  #expect(entry: Entry): void {
    const settle = (): void => {
      cancel();
      entry.isExpected = false;
      this.#listener.changed(entry);
    };
    const cancel = this.#env.retryClock.after(PATIENCE_MS, settle);
    entry.ending.signal.addEventListener('abort', cancel, { once: true });
    void entry.informer.synced.then(settle);
  }

  #end(entry: Entry): void {
    this.#entries.delete(resourceName(entry));
    entry.ending.abort();
  }
}

const isCountable = ({ plural, isNamespaced, verbs }: ApiResource, wanted: string): boolean => plural === wanted && isNamespaced && verbs.includes('watch');
