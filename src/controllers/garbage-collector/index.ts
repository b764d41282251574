import { setMaxListeners } from 'node:events';
import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER, parseApiVersion, type Propagation } from '#api';
import { abortedBy } from '#base';
import { isRefusal, warnOfFailures, WorkQueue, type ApiResource, type ControllerEnv, type Running } from '#client';
import { AbsentOwners } from './absent-owners.ts';
import { classify, OwnerOutOfReach, type Judge } from './classify.ts';
import { dependentsIn, findDependents } from './find-dependents.ts';
import { OwnerFinder } from './find-owners.ts';
import { Graph, isMeant, type Node, type OwnerRef, type Seen } from './graph.ts';
import { KindRefresh } from './kind-refresh.ts';
import { MisplacedOwners } from './misplaced-owners.ts';
import { Monitors } from './monitors.ts';
import { changeOwners, removeFinalizer } from './writes.ts';

const WORKERS = 20;
/** When an owner whose kind is not followed (yet) is looked up again. */
const ASK_AGAIN_MS = 30_000;

/**
 * Deletes objects whose owners are all gone, delays the foreground deletion of owners until blocking dependents are gone, and removes owner
 * references for orphaning. Every deletion has preconditions on uid and resourceVersion: only an object that is still as it was judged is deleted.
 * @spec 3.1
 */
export function startGarbageCollector(env: ControllerEnv): Running {
  const collector = new Collector(env);
  return { synced: collector.start(), stop: () => collector.stop() };
}

class Collector {
  readonly #env: ControllerEnv;
  readonly #graph: Graph;
  readonly #monitors: Monitors;
  readonly #kinds: KindRefresh;
  readonly #queue: WorkQueue;
  readonly #absent = new AbsentOwners();
  readonly #owners: OwnerFinder;
  readonly #misplaced: MisplacedOwners;
  readonly #judge: Judge;
  readonly #ending: AbortController;
  /** Owners without blocking dependents that were given time for these to be heard of. */
  readonly #settled = new WeakSet<Node>();

  constructor(env: ControllerEnv) {
    this.#ending = abortedBy(env.signal);
    const { signal } = this.#ending;
    // Each kind that has left listens for a while.
    setMaxListeners(0, signal);
    this.#env = { ...env, signal };
    this.#graph = new Graph({
      judge: ({ uid }) => this.#queue.add(JUDGE + uid),
      orphan: ({ uid }) => this.#queue.add(ORPHANING + uid),
    });
    this.#monitors = new Monitors(this.#env, this.#graph, this.#absent);
    this.#kinds = new KindRefresh(this.#env, this.#monitors);
    this.#misplaced = new MisplacedOwners(this.#env, this.#graph);
    this.#judge = {
      client: env.client,
      graph: this.#graph,
      absent: this.#absent,
      followed: (apiVersion, kind) => this.#monitors.followed(apiVersion, kind),
      isRetired: (apiVersion, kind) => this.#monitors.isRetired(apiVersion, kind),
      resourceOf: (apiVersion, kind) => this.#resourceOf(apiVersion, kind),
    };
    this.#owners = new OwnerFinder(this.#judge);
    this.#queue = new WorkQueue({
      name: 'garbage_collector',
      observer: env.queues,
      clock: env.clock,
      retryClock: env.retryClock,
      workers: WORKERS,
      work: (item) => this.#work(item),
      onFailure: warnOfFailures(env.log, 'garbage collection of an object failed and is tried again', (item) => ({ item })),
    });
  }

  async start(): Promise<void> {
    await this.#kinds.all();
    await this.#monitors.synced();
    this.#queue.start();
    this.#kinds.start();
  }

  stop(): Promise<void> {
    this.#ending.abort();
    return this.#queue.stop();
  }

  async #resourceOf(apiVersion: string, kind: string): Promise<ApiResource> {
    const known = this.#monitors.find(apiVersion, kind);
    if (known !== undefined) return known;
    await this.#kinds.group(parseApiVersion(apiVersion).group);
    const found = this.#monitors.find(apiVersion, kind);
    if (found === undefined) throw new Error(`an owner is of kind ${kind} in ${apiVersion}, which the server does not have`);
    return found;
  }

  #work(item: string): Promise<number | undefined> {
    const node = this.#graph.get(item.slice(1));
    const seen = node?.seen;
    if (node === undefined || seen === undefined) return Promise.resolve(undefined);
    return item.startsWith(ORPHANING) ? this.#orphan(node, seen) : this.#decide(node, seen);
  }

  async #decide(node: Node, seen: Seen): Promise<number | undefined> {
    if (seen.isForeground) return this.#letGo(node, seen);
    if (seen.isBeingDeleted || seen.owners.length === 0) return undefined;
    await this.#owners.findOwnersOf(seen);
    await this.#misplaced.tell(node, seen);
    let verdict;
    try {
      verdict = await classify(this.#judge, seen.namespace, seen.owners);
    } catch (cause) {
      if (!(cause instanceof OwnerOutOfReach)) throw cause;
      this.#env.log.warn('an object names an owner that it cannot have and is left alone', { plural: seen.resource.plural, name: seen.name, cause });
      return undefined;
    }
    const { solid, dangling, waiting, isUnfollowed } = verdict;
    if (solid.length > 0) {
      await this.#forget(node, seen, [...dangling, ...waiting]);
      return isUnfollowed ? ASK_AGAIN_MS : undefined;
    }
    if (waiting.length > 0 && (node.dependents.size > 0 || this.#monitors.unheard().length > 0)) {
      await this.#breakCycle(node, seen);
      await this.#delete(node, seen, 'Foreground');
    } else await this.#delete(node, seen);
    return undefined;
  }

  /** An object that waits for what blocks it: gone as soon as nothing does. */
  async #letGo(node: Node, seen: Seen): Promise<number | undefined> {
    for (const dependent of node.dependents) {
      // An object that is its own owner would wait for itself.
      if (dependent === node) continue;
      const ref = dependent.seen?.owners.find(({ uid }) => uid === node.uid);
      if (ref?.isBlocking === true && isMeant(dependent, node.uid, seen)) return undefined;
    }
    if (!this.#settled.has(node)) {
      this.#settled.add(node);
      this.#again(JUDGE + node.uid);
      return undefined;
    }
    // What is not known yet is asked for. Where that cannot be listed nobody can say, and it is tried again: what goes in background is not held up.
    const unheard = await findDependents(this.#env, this.#monitors.unheard(), seen, node.uid);
    if (unheard.some(({ isBlocking }) => isBlocking)) return ASK_AGAIN_MS;
    await removeFinalizer(this.#env.client, seen, node.uid, FOREGROUND_FINALIZER);
    return undefined;
  }

  async #forget(node: Node, seen: Seen, refs: readonly OwnerRef[]): Promise<void> {
    if (refs.length === 0) return;
    const uids = new Set(refs.map(({ uid }) => uid));
    await changeOwners(this.#env.client, seen, node.uid, (owners) => owners.filter(({ uid }) => !uids.has(uid)));
  }

  /** Objects that block each other would wait for ever: this one stops blocking its owners. */
  async #breakCycle(node: Node, seen: Seen): Promise<void> {
    if (![...node.dependents].some((dependent) => dependent.seen?.isForeground === true)) return;
    await changeOwners(this.#env.client, seen, node.uid, (owners) =>
      owners.map((owner) => (owner.blockOwnerDeletion === true ? { ...owner, blockOwnerDeletion: false } : owner)),
    );
  }

  /**
   * Deletes an object in the state it was judged in: a conflict means that the graph is stale, and the object is judged again. What happens to its
   * own dependents depends on its own finalizers.
   */
  async #delete({ uid }: Node, { resource, namespace, name, resourceVersion, wish }: Seen, propagation: Propagation = wish): Promise<void> {
    try {
      await this.#env.client.at(resource).delete({ namespace, name }, { uid, resourceVersion, propagation });
    } catch (cause) {
      if (isRefusal(cause, 'Conflict')) this.#again(JUDGE + uid);
      else if (!isRefusal(cause, 'NotFound')) throw cause;
    }
  }

  /** Enqueues again, once informers have had time to catch up. */
  #again(item: string): void {
    this.#env.retryClock.after(SETTLING_MS, () => this.#queue.add(item));
  }

  async #orphan(node: Node, seen: Seen): Promise<undefined> {
    const { client, signal } = this.#env;
    const hearsay = (resource: ApiResource) => (this.#monitors.hears(resource) ? dependentsIn(resource, node, seen) : undefined);
    const dependents = await findDependents(this.#env, this.#monitors.all(), seen, node.uid, hearsay);
    for (let at = 0; at < dependents.length; at += WORKERS) {
      // There may be too many for a server that stops to wait for.
      signal.throwIfAborted();
      const some = dependents.slice(at, at + WORKERS);
      await Promise.all(some.map((one) => changeOwners(client, one, one.uid, (owners) => owners.filter((owner) => owner.uid !== node.uid))));
    }
    await removeFinalizer(client, seen, node.uid, ORPHAN_FINALIZER);
    return undefined;
  }
}

/** Informers are not in step: events of dependents may arrive after the deletion of their owner. */
const SETTLING_MS = 50;
/** Prefix of queue keys for nodes to judge. */
const JUDGE = 'd';
const ORPHANING = 'o';
