import { openReflector, resourceName, wait, type ApiResource, type ControllerEnv, type Discovered, type Mirror, type Reflector } from '#client';
import { parseApiVersion, type ApiObject } from '#api';
import { abortedBy, isTurnLong, nextTurn } from '#base';
import type { AbsentOwners } from './absent-owners.ts';
import type { Graph } from './graph.ts';

/** Never owned, written constantly, and expiring by themselves. */
const IGNORED: ReadonlySet<string> = new Set(['events']);
const NEEDED_VERBS = ['delete', 'list', 'watch'] as const;

/** How long a resource that does not sync may delay all others. */
const PATIENCE_MS = 30_000;
/** How long a removed kind is still watched: the end of the kind is learned another way than the deletions of its objects, and may be faster. */
const LAST_WORDS_MS = 2_000;

interface Monitor {
  readonly resource: ApiResource;
  readonly reflector: Reflector;
  /** Stops it, and removes its remaining objects from the graph. */
  readonly end: () => void;
}

/** What the server said about one group. */
interface DiscoveredGroup {
  /** In the preferred version. */
  readonly kinds: Map<string, ApiResource>;
  readonly serves: Discovered['serves'];
}

/** Follows the metadata of every deletable kind; kinds are added and removed as the server serves them. */
export class Monitors {
  readonly #env: ControllerEnv;
  readonly #graph: Graph;
  readonly #absent: AbsentOwners;
  readonly #monitors = new Map<string, Monitor>();
  /** Monitors of removed kinds. */
  readonly #leaving = new Map<string, Monitor>();
  #groups = new Map<string, DiscoveredGroup>();

  constructor(env: ControllerEnv, graph: Graph, absent: AbsentOwners) {
    this.#env = env;
    this.#graph = graph;
    this.#absent = absent;
  }

  /** The resource of a kind in exactly this version; undefined where it is not served. */
  find(apiVersion: string, kind: string): ApiResource | undefined {
    const group = this.#groups.get(parseApiVersion(apiVersion).group);
    return group?.serves(apiVersion, kind) === true ? group.kinds.get(kind) : undefined;
  }

  /** The followed resource of a kind, in whichever version; undefined: its changes are not heard. */
  followed(apiVersion: string, kind: string): ApiResource | undefined {
    const resource = this.#groups.get(parseApiVersion(apiVersion).group)?.kinds.get(kind);
    return resource === undefined ? undefined : this.#monitors.get(resourceName(resource))?.resource;
  }

  /** Whether the server serves the kind, but not in this version. */
  isRetired(apiVersion: string, kind: string): boolean {
    const group = this.#groups.get(parseApiVersion(apiVersion).group);
    return group?.kinds.has(kind) === true && !group.serves(apiVersion, kind);
  }

  /** The followed resources. */
  all(): readonly ApiResource[] {
    return [...this.#monitors.values()].map(({ resource }) => resource);
  }

  /** Whether all objects of a resource were heard of, and their changes are. */
  hears(resource: ApiResource): boolean {
    const monitor = this.#monitors.get(resourceName(resource));
    return monitor?.resource === resource && monitor.reflector.isSynced;
  }

  /** What is followed and not known yet: who asks it for its objects is not answered, or has no answer so far. */
  unheard(): readonly ApiResource[] {
    return [...this.#monitors.values()].filter(({ reflector }) => !reflector.isSynced).map(({ resource }) => resource);
  }

  /** Asks the server for all that it has. What cannot be discovered now is kept as it is. */
  async refresh(): Promise<void> {
    const discovered = await this.#env.client.discover();
    this.#groups = new Map();
    this.#take(discovered, this.#monitors);
  }

  /** The same for what one group has. */
  async refreshGroup(group: string): Promise<void> {
    const discovered = await this.#env.client.discoverGroup(group);
    this.#groups.delete(group);
    this.#take(discovered, [...this.#monitors].filter(([, { resource }]) => resource.group === group));
  }

  /** `before`: the monitors of the discovered groups. */
  #take({ resources, serves, failures }: Discovered, before: Iterable<readonly [string, Monitor]>): void {
    for (const one of resources) {
      const { kinds } = this.#groups.get(one.group) ?? { kinds: new Map<string, ApiResource>() };
      this.#groups.set(one.group, { kinds: kinds.set(one.kind, one), serves });
    }
    const wanted = new Map(resources.filter(isFollowed).map((one) => [resourceName(one), one]));
    const unknown = new Set(failures.map(({ apiVersion }) => parseApiVersion(apiVersion).group));
    for (const [name, monitor] of before) {
      if (!wanted.has(name) && !unknown.has(monitor.resource.group)) this.#leave(name, monitor);
    }
    for (const [name, resource] of wanted) {
      const monitor = this.#monitors.get(name);
      if (monitor !== undefined && isSame(monitor.resource, resource)) continue;
      // Two monitors of the same objects would contradict each other.
      monitor?.end();
      this.#leaving.get(name)?.end();
      this.#join(name, resource);
    }
  }

  /** Resolves once all reflectors have synced, or after half a minute. */
  synced(): Promise<void> {
    const all = [...this.#monitors.values()].map(({ reflector }) => reflector.synced);
    return Promise.race([Promise.all(all).then(() => {}), wait(this.#env.retryClock, PATIENCE_MS, this.#env.signal)]);
  }

  #join(name: string, resource: ApiResource): void {
    const { client, retryClock, log, signal } = this.#env;
    const ending = abortedBy(signal);
    const mirror: Mirror<ApiObject> = {
      replace: (pages) => this.#replace(resource, pages, ending.signal),
      put: (object) => this.#graph.put(resource, object),
      remove: ({ metadata: { uid = '', namespace = '', name = '' } }) => this.#gone(resource, { uid, namespace, name }),
    };
    const reflector = openReflector(client.metadataAt(resource), mirror, { retryClock, log, signal: ending.signal });
    const end = (): void => {
      if (ending.signal.aborted) return;
      ending.abort();
      // Objects that are no longer followed must not be kept as existing.
      for (const { uid } of this.#graph.of(resource)) this.#graph.forget(uid);
    };
    this.#monitors.set(name, { resource, reflector, end });
  }

  /** Takes all objects of a resource. What was known before they were listed and is not among them has gone; what is heard of meanwhile may be newer. */
  async #replace(resource: ApiResource, pages: AsyncIterable<readonly ApiObject[]>, signal: AbortSignal): Promise<void> {
    const before = new Map(this.#graph.of(resource).map((node) => [node.uid, node]));
    for await (const page of pages) {
      for (const object of page) {
        if (isTurnLong()) await nextTurn(signal);
        signal.throwIfAborted();
        before.delete(object.metadata.uid ?? '');
        this.#graph.put(resource, object);
      }
    }
    for (const { uid, seen } of before.values()) if (seen !== undefined) this.#gone(resource, { uid, namespace: seen.namespace, name: seen.name });
  }

  /**
   * Marks a deleted object as absent without a look-up: the server reported it, and where the whole kind is removed, a look-up is impossible. Events
   * of its dependents may arrive later.
   */
  #gone({ group, kind }: ApiResource, { uid, namespace, name }: { readonly uid: string; readonly namespace: string; readonly name: string }): void {
    const isNamed = (this.#graph.get(uid)?.dependents.size ?? 0) > 0;
    this.#absent.add({ uid, group, kind, name }, namespace, isNamed);
    this.#graph.remove(uid);
  }

  #leave(name: string, monitor: Monitor): void {
    const { retryClock, signal } = this.#env;
    this.#monitors.delete(name);
    this.#leaving.set(name, monitor);
    void wait(retryClock, LAST_WORDS_MS, signal).then(() => {
      monitor.end();
      if (this.#leaving.get(name) === monitor) this.#leaving.delete(name);
    });
  }
}

/** Whether what is followed as one is followed as the other: a definition that is made again may have another scope. */
const isSame = (one: ApiResource, other: ApiResource): boolean =>
  one.version === other.version && one.kind === other.kind && one.isNamespaced === other.isNamespaced;

const isFollowed = ({ plural, verbs }: ApiResource): boolean => !IGNORED.has(plural) && NEEDED_VERBS.every((verb) => verbs.includes(verb));
