import { openInformer, resourceName, wait, type ApiResource, type ControllerEnv, type Informer } from '#client';
import { parseApiVersion, type ApiObject } from '#api';
import type { AbsentOwners } from './absent-owners.ts';
import type { Graph } from './graph.ts';

/** Written all the time, owned by nobody, and gone by themselves. */
const IGNORED: ReadonlySet<string> = new Set(['events']);
const NEEDED_VERBS = ['delete', 'list', 'watch'] as const;

/** How long a resource that does not answer may hold back all others. */
const PATIENCE_MS = 30_000;
/** How long a kind that has left is listened to: news of its end comes another way than that of its objects, and may be faster. */
const LAST_WORDS_MS = 2_000;

interface Monitor {
  readonly resource: ApiResource;
  readonly informer: Informer;
  /** Ends it, and forgets what it still believes to be there. */
  readonly end: () => void;
}

/** Follows the metadata of every kind that can be deleted; kinds join and leave as the server has them. */
export class Monitors {
  readonly #env: ControllerEnv;
  readonly #graph: Graph;
  readonly #absent: AbsentOwners;
  readonly #monitors = new Map<string, Monitor>();
  /** Of kinds that have left. */
  readonly #leaving = new Map<string, Monitor>();
  /** By group and kind. */
  #kinds = new Map<string, ApiResource>();
  #serves: (apiVersion: string, kind: string) => boolean = () => false;

  constructor(env: ControllerEnv, graph: Graph, absent: AbsentOwners) {
    this.#env = env;
    this.#graph = graph;
    this.#absent = absent;
  }

  /** The resource of a kind that the server has in the version that was named. */
  find(apiVersion: string, kind: string): ApiResource | undefined {
    return this.#serves(apiVersion, kind) ? this.#kinds.get(`${parseApiVersion(apiVersion).group}/${kind}`) : undefined;
  }

  /** Whether the server has the kind, but not in this version. */
  isRetired(apiVersion: string, kind: string): boolean {
    return this.#kinds.has(`${parseApiVersion(apiVersion).group}/${kind}`) && !this.#serves(apiVersion, kind);
  }

  /** What is followed. */
  all(): readonly ApiResource[] {
    return [...this.#monitors.values()].map(({ resource }) => resource);
  }

  /** Asks the server what it has. What cannot be discovered now is kept as it is. */
  async refresh(): Promise<void> {
    const { resources, serves, failures } = await this.#env.client.discover();
    this.#serves = serves;
    this.#kinds = new Map(resources.map((one) => [`${one.group}/${one.kind}`, one]));
    const wanted = new Map(resources.filter(isFollowed).map((one) => [resourceName(one), one]));
    const unknown = new Set(failures.map(({ apiVersion }) => parseApiVersion(apiVersion).group));
    for (const [name, monitor] of this.#monitors) {
      if (!wanted.has(name) && !unknown.has(monitor.resource.group)) this.#leave(name, monitor);
    }
    for (const [name, resource] of wanted) {
      const monitor = this.#monitors.get(name);
      if (monitor !== undefined && monitor.resource.version === resource.version) continue;
      // Two that follow the same objects would contradict one another.
      monitor?.end();
      this.#leaving.get(name)?.end();
      this.#join(name, resource);
    }
  }

  /** Resolves once everything is known, or after half a minute of patience. */
  synced(): Promise<void> {
    const all = [...this.#monitors.values()].map(({ informer }) => informer.synced);
    return Promise.race([Promise.all(all).then(() => {}), wait(this.#env.retryClock, PATIENCE_MS, this.#env.signal)]);
  }

  #join(name: string, resource: ApiResource): void {
    const { client, retryClock, log, signal } = this.#env;
    const ending = new AbortController();
    const informer = openInformer(client.metadataAt(resource), { retryClock, log, signal: AbortSignal.any([signal, ending.signal]), keep: slim });
    informer.listen({
      put: (object, before) => {
        // A name that was given again without a word about the one before.
        if (before !== undefined && before.metadata.uid !== object.metadata.uid) this.#gone(resource, before);
        this.#graph.put(resource, object);
      },
      remove: (last) => this.#gone(resource, last),
    });
    const end = (): void => {
      if (ending.signal.aborted) return;
      ending.abort();
      // What is no longer followed is no longer believed to be there.
      for (const { metadata } of informer.list()) this.#graph.remove(metadata.uid ?? '');
    };
    this.#monitors.set(name, { resource, informer, end });
  }

  /**
   * The server said so itself: nobody need ask, and where the whole kind goes, nobody can. Who names it may be heard of later than its end.
   */
  #gone({ group, kind }: ApiResource, { metadata: { uid = '', namespace = '', name = '' } }: ApiObject): void {
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

const isFollowed = ({ plural, verbs }: ApiResource): boolean => !IGNORED.has(plural) && NEEDED_VERBS.every((verb) => verbs.includes(verb));

/** What the graph needs. */
function slim({ apiVersion, kind, metadata }: ApiObject): ApiObject {
  const { uid, name, namespace, resourceVersion, ownerReferences, finalizers, deletionTimestamp } = metadata;
  const kept: ApiObject['metadata'] = {};
  if (uid !== undefined) kept.uid = uid;
  if (name !== undefined) kept.name = name;
  if (namespace !== undefined) kept.namespace = namespace;
  if (resourceVersion !== undefined) kept.resourceVersion = resourceVersion;
  if (ownerReferences !== undefined) kept.ownerReferences = ownerReferences;
  if (finalizers !== undefined) kept.finalizers = finalizers;
  if (deletionTimestamp !== undefined) kept.deletionTimestamp = deletionTimestamp;
  return { apiVersion, kind, metadata: kept };
}
