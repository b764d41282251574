import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER, parseApiVersion, type ApiObject, type Propagation } from '#api';
import { firstBy } from '#base';
import { resourceName, type ApiResource } from '#client';

/** A reference to an owner, and where its owner must be looked for. */
export interface OwnerRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly isBlocking: boolean;
}

/** An object as the graph knows it. */
export interface Node {
  readonly uid: string;
  /** undefined: known only from an owner reference. */
  readonly seen: Seen | undefined;
  /** It was reported as deleted: what was read of it before does not hold. */
  readonly isGone: boolean;
  /** Objects with an owner reference to this one, whether valid or not. */
  readonly dependents: ReadonlySet<Node>;
}

/** Most objects own nothing: they share this. */
const NOBODY: ReadonlySet<Node> = new Set();

class GraphNode implements Node {
  readonly uid: string;
  seen: Seen | undefined = undefined;
  isGone = false;
  #dependents: Set<Node> | undefined = undefined;

  constructor(uid: string) {
    this.uid = uid;
  }

  get dependents(): ReadonlySet<Node> {
    return this.#dependents ?? NOBODY;
  }

  add(dependent: Node): void {
    (this.#dependents ??= new Set()).add(dependent);
  }

  drop(dependent: Node): void {
    this.#dependents?.delete(dependent);
  }
}

/** Where an object is. */
export interface Place {
  readonly resource: ApiResource;
  readonly namespace: string;
  readonly name: string;
}

export interface Seen extends Place {
  readonly resourceVersion: string;
  readonly owners: readonly OwnerRef[];
  readonly isBeingDeleted: boolean;
  /** Is deleted only when its blocking dependents are gone (foreground deletion). */
  readonly isForeground: boolean;
  /** Is deleted only when its dependents no longer refer to it (orphaning). */
  readonly isOrphaning: boolean;
  /** The propagation policy that its finalizers express. */
  readonly wish: Propagation;
}

/** Work that a change of the graph causes. */
export interface Agenda {
  /** Decide whether this object must be deleted. */
  judge(node: Node): void;
  /** Remove the owner references to this object. */
  orphan(node: Node): void;
}

/**
 * The owner graph, by uid: the objects that own or are owned, and those whose deletion waits. All others, which are most, are not in it. Owners that
 * were not observed are nodes too, so that their dependents are found when they change or go.
 */
export class Graph {
  readonly #nodes = new Map<string, GraphNode>();
  /** The observed nodes of each resource, by its name. */
  readonly #observed = new Map<string, Set<GraphNode>>();
  readonly #agenda: Agenda;

  constructor(agenda: Agenda) {
    this.#agenda = agenda;
  }

  get(uid: string): Node | undefined {
    return this.#nodes.get(uid);
  }

  /** The observed objects of a resource. */
  of(resource: ApiResource): readonly Node[] {
    return [...(this.#observed.get(resourceName(resource)) ?? [])];
  }

  /** Adds or updates an object. */
  put(resource: ApiResource, { metadata }: ApiObject): void {
    const { uid = '' } = metadata;
    if (uid === '') return;
    const known = this.#nodes.get(uid);
    if (known === undefined && isUnbound(metadata)) return;
    const node = known ?? this.#place(uid);
    const before = node.seen;
    const seen = read(resource, metadata);
    this.#see(node, seen);
    const wasAdded = this.#link(node, before?.owners ?? [], seen.owners);
    if (before !== undefined) this.#unblocked(before.owners, seen.owners);
    if (before === undefined) this.#judgeStrangers(node, seen);
    if (seen.owners.length > 0 && (before === undefined || wasAdded || hasFewer(before, seen))) this.#agenda.judge(node);
    this.#transitions(node, before, seen);
    this.#dropIfUnused(node);
  }

  /**
   * Adds an object that was looked up for the sake of `node`, of its uid. Does nothing when the graph has heard of that uid since: what was looked up
   * may be older.
   */
  observe(node: Node, resource: ApiResource, object: ApiObject): void {
    const known = this.#nodes.get(node.uid);
    if (known === node && known.seen === undefined && !known.isGone) this.put(resource, object);
  }

  /** Removes a deleted object. */
  remove(uid: string): void {
    const node = this.#nodes.get(uid);
    if (node === undefined) return;
    node.isGone = true;
    this.#forget(node);
  }

  /** Removes an object of a resource that is no longer followed. */
  forget(uid: string): void {
    const node = this.#nodes.get(uid);
    if (node !== undefined) this.#forget(node);
  }

  #forget(node: GraphNode): void {
    const owners = node.seen?.owners ?? [];
    this.#see(node, undefined);
    this.#link(node, owners, []);
    for (const dependent of node.dependents) this.#agenda.judge(dependent);
    for (const { uid: owner } of owners) {
      const found = this.#nodes.get(owner);
      if (found?.seen?.isForeground === true) this.#agenda.judge(found);
    }
    this.#dropIfUnused(node);
  }

  #see(node: GraphNode, seen: Seen | undefined): void {
    const before = node.seen;
    node.seen = seen;
    if (before?.resource === seen?.resource) return;
    if (before !== undefined) this.#observed.get(resourceName(before.resource))?.delete(node);
    if (seen === undefined) return;
    const name = resourceName(seen.resource);
    const nodes = this.#observed.get(name);
    if (nodes === undefined) this.#observed.set(name, new Set([node]));
    else nodes.add(node);
  }

  #place(uid: string): GraphNode {
    let node = this.#nodes.get(uid);
    if (node === undefined) {
      node = new GraphNode(uid);
      this.#nodes.set(uid, node);
    }
    return node;
  }

  #dropIfUnused(node: GraphNode): void {
    const { seen, dependents } = node;
    if (dependents.size > 0 || (seen !== undefined && (seen.owners.length > 0 || seen.isForeground || seen.isOrphaning))) return;
    this.#see(node, undefined);
    this.#nodes.delete(node.uid);
  }

  /** Updates the edges; returns whether there are new owners. */
  #link(node: Node, before: readonly OwnerRef[], now: readonly OwnerRef[]): boolean {
    let wasAdded = false;
    const kept = uidsOf(now);
    for (const { uid } of before) {
      if (kept.has(uid)) continue;
      const owner = this.#nodes.get(uid);
      owner?.drop(node);
      if (owner !== undefined) this.#dropIfUnused(owner);
    }
    for (const { uid } of now) {
      const owner = this.#place(uid);
      if (owner.dependents.has(node)) continue;
      owner.add(node);
      wasAdded = true;
    }
    return wasAdded;
  }

  /** Enqueues owners that a dependent no longer blocks. */
  #unblocked(before: readonly OwnerRef[], now: readonly OwnerRef[]): void {
    const kept = firstBy(now, ({ uid }) => uid);
    for (const ref of before) {
      const still = kept.get(ref.uid);
      if (!ref.isBlocking || still?.isBlocking === true) continue;
      const owner = this.#nodes.get(ref.uid);
      if (owner?.seen?.isForeground === true) this.#agenda.judge(owner);
    }
  }

  /** Enqueues dependents whose reference has this uid but means another object. */
  #judgeStrangers(node: Node, seen: Seen): void {
    for (const dependent of node.dependents) if (!isMeant(dependent, node.uid, seen)) this.#agenda.judge(dependent);
  }

  #transitions(node: Node, before: Seen | undefined, seen: Seen): void {
    if (seen.isOrphaning && before?.isOrphaning !== true) this.#agenda.orphan(node);
    if (seen.isForeground && before?.isForeground !== true) {
      for (const dependent of node.dependents) this.#agenda.judge(dependent);
      this.#agenda.judge(node);
    }
  }
}

/** Whether an object that owns nothing need not be in the graph. */
const isUnbound = ({ ownerReferences, deletionTimestamp }: ApiObject['metadata']): boolean => !(ownerReferences?.length ?? 0) && !deletionTimestamp;

function read(resource: ApiResource, metadata: ApiObject['metadata']): Seen {
  const { namespace = '', name = '', resourceVersion = '', finalizers, deletionTimestamp } = metadata;
  const isBeingDeleted = deletionTimestamp !== undefined && deletionTimestamp !== null;
  const [isForeground, isOrphaning] = [FOREGROUND_FINALIZER, ORPHAN_FINALIZER].map((finalizer) => (finalizers ?? []).includes(finalizer)) as [boolean, boolean];
  return {
    resource,
    namespace,
    name,
    resourceVersion,
    owners: ownersOf(metadata),
    isBeingDeleted,
    isForeground: isBeingDeleted && isForeground,
    isOrphaning: isBeingDeleted && isOrphaning,
    wish: isOrphaning ? 'Orphan' : isForeground ? 'Foreground' : 'Background',
  };
}

const NO_OWNERS: readonly OwnerRef[] = [];

const ownersOf = ({ ownerReferences }: ApiObject['metadata']): readonly OwnerRef[] =>
  ownerReferences === undefined || ownerReferences === null || ownerReferences.length === 0
    ? NO_OWNERS
    : ownerReferences.map(({ apiVersion, kind, name, uid, blockOwnerDeletion }) => ({ apiVersion, kind, name, uid, isBlocking: blockOwnerDeletion === true }));

function hasFewer(before: Seen, now: Seen): boolean {
  const kept = uidsOf(now.owners);
  return before.owners.some(({ uid }) => !kept.has(uid));
}

/** For look-ups: an object may name as many owners as it has room for. */
const uidsOf = (owners: readonly OwnerRef[]): ReadonlySet<string> => new Set(owners.map(({ uid }) => uid));

/** Whether a reference with `uid` is valid for the object observed under it: same kind, same name, and same namespace where it has one. */
export function isMeant(dependent: Node, uid: string, owner: Seen): boolean {
  const ref = dependent.seen?.owners.find((one) => one.uid === uid);
  return ref !== undefined && dependent.seen !== undefined && isRefTo(ref, dependent.seen.namespace, owner);
}

export const isRefTo = (ref: OwnerRef, namespace: string, owner: Seen): boolean =>
  ref.kind === owner.resource.kind &&
  ref.name === owner.name &&
  parseApiVersion(ref.apiVersion).group === owner.resource.group &&
  (!owner.resource.isNamespaced || owner.namespace === namespace);
