import { resourceName, type ApiResource, type Client } from '#client';
import type { ApiObject } from '#api';
import { ownerOf, type AbsentOwners } from './absent-owners.ts';
import type { Graph, OwnerRef, Seen } from './graph.ts';

/** What finding owners needs. */
export interface OwnerSources {
  readonly client: Client;
  readonly graph: Graph;
  readonly absent: AbsentOwners;
  /** The followed resource of a kind, in whichever version; undefined: its changes are not heard. */
  followed(apiVersion: string, kind: string): ApiResource | undefined;
  /** Whether the server serves the kind, but not in this version. */
  isRetired(apiVersion: string, kind: string): boolean;
}

/**
 * Looks up owners that the graph has not seen: whatever owned nothing before it was named as an owner. Once found, they are followed like all others.
 * Owners of kinds that are not followed are not looked for.
 */
export class OwnerFinder {
  readonly #sources: OwnerSources;
  /** By name of the resource. */
  readonly #searches = new Map<string, UidSearch>();

  constructor(sources: OwnerSources) {
    this.#sources = sources;
  }

  /** Resolves when the graph has all owners of an object that exist, or they are known as absent. Rejects where the server does not answer. */
  async findOwnersOf({ namespace, owners }: Seen): Promise<void> {
    const { graph, absent, followed, isRetired } = this.#sources;
    for (const ref of owners) {
      const node = graph.get(ref.uid);
      const resource = followed(ref.apiVersion, ref.kind);
      if (resource === undefined || node === undefined || node.seen !== undefined) continue;
      // What is not found in a version that is not served proves nothing.
      const canBeAbsent = !isRetired(ref.apiVersion, ref.kind);
      if (canBeAbsent && absent.has(ref, namespace)) continue;
      const owner = node.isGone ? undefined : await this.#find(resource, ref, namespace);
      if (owner !== undefined) graph.observe(node, resource, owner);
      else if (canBeAbsent && !isOutOfReach(resource, namespace)) absent.add(ownerOf(ref), namespace);
    }
  }

  async #find(resource: ApiResource, { name, uid }: OwnerRef, namespace: string): Promise<ApiObject | undefined> {
    const { client } = this.#sources;
    const there = isOutOfReach(resource, namespace) ? undefined : await client.metadataAt(resource).find({ name, namespace });
    if (there?.metadata.uid === uid) return there;
    // Where owners have namespaces it may be in another one: there it is no owner, and somebody made a mistake.
    return resource.isNamespaced ? this.#searchOf(resource).find(uid) : undefined;
  }

  #searchOf(resource: ApiResource): UidSearch {
    const name = `${resource.version}/${resourceName(resource)}`;
    const known = this.#searches.get(name);
    if (known !== undefined) return known;
    const search = new UidSearch(this.#sources.client, resource);
    this.#searches.set(name, search);
    return search;
  }
}

/** Whether an owner of this resource cannot be named by an object of that namespace: a cluster-scoped one cannot say which namespace it means. */
const isOutOfReach = (resource: ApiResource, namespace: string): boolean => resource.isNamespaced && namespace === '';

/** Uids that are looked for in the same list, and the objects that have them. */
interface Pass {
  readonly wanted: Set<string>;
  readonly found: Promise<ReadonlyMap<string, ApiObject>>;
}

/** Looks for objects of a resource by uid, in a list of all of them. All who ask while a list is being read share the next one. */
class UidSearch {
  readonly #client: Client;
  readonly #resource: ApiResource;
  #last: Promise<unknown> = Promise.resolve();
  #next: Pass | undefined;

  constructor(client: Client, resource: ApiResource) {
    this.#client = client;
    this.#resource = resource;
  }

  async find(uid: string): Promise<ApiObject | undefined> {
    const { wanted, found } = (this.#next ??= this.#plan());
    wanted.add(uid);
    return (await found).get(uid);
  }

  #plan(): Pass {
    const wanted = new Set<string>();
    const found = this.#last.then(() => {
      this.#next = undefined;
      return this.#read(wanted);
    });
    this.#last = found.catch(() => {});
    return { wanted, found };
  }

  async #read(wanted: ReadonlySet<string>): Promise<ReadonlyMap<string, ApiObject>> {
    const found = new Map<string, ApiObject>();
    for await (const { items } of this.#client.metadataAt(this.#resource).pages()) {
      for (const item of items) if (wanted.has(item.metadata.uid ?? '')) found.set(item.metadata.uid ?? '', item);
    }
    return found;
  }
}
