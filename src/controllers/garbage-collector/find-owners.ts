import { resourceName, type ApiResource, type Client } from '#client';
import type { ApiObject } from '#api';
import { SharedRuns } from '#base';
import { ownerOf } from './absent-owners.ts';
import { isOutOfReach, type Judge } from './classify.ts';
import type { OwnerRef, Seen } from './graph.ts';

type OwnerJudge = Pick<Judge, 'client' | 'graph' | 'absent' | 'followed' | 'isRetired'>;

/**
 * Looks up owners that the graph has not seen: whatever owned nothing before it was named as an owner. Once found, they are followed like all others.
 * Owners of kinds that are not followed are not looked for.
 */
export class OwnerFinder {
  readonly #judge: OwnerJudge;
  /** By version and name of the resource. */
  readonly #searches = new Map<string, UidSearch>();

  constructor(judge: OwnerJudge) {
    this.#judge = judge;
  }

  /** Resolves when the graph has all owners of an object that exist, or they are known as absent. Rejects where the server does not answer. */
  async findOwnersOf({ namespace, owners }: Seen): Promise<void> {
    const { graph, absent, followed, isRetired } = this.#judge;
    const searches: (() => Promise<void>)[] = [];
    for (const ref of owners) {
      const node = graph.get(ref.uid);
      const resource = followed(ref.apiVersion, ref.kind);
      if (resource === undefined || node === undefined || node.seen !== undefined) continue;
      // What is not found in a version that is not served proves nothing.
      const canBeAbsent = !isRetired(ref.apiVersion, ref.kind);
      if (canBeAbsent && absent.has(ref, namespace)) continue;
      const settle = (owner: ApiObject | undefined): void => {
        if (owner !== undefined) graph.observe(node, resource, owner);
        else if (canBeAbsent && !isOutOfReach(resource, namespace)) absent.add(ownerOf(ref), namespace);
      };
      const there = node.isGone ? undefined : await this.#findThere(resource, ref, namespace);
      // Where owners have namespaces it may be in another one: there it is no owner, and somebody made a mistake.
      if (there !== undefined || node.isGone || !resource.isNamespaced) settle(there);
      else searches.push(async () => settle(await this.#searchOf(resource).find(ref.uid)));
    }
    // Together: each is a list of all objects of the resource, and an object may name as many owners as it has room for.
    await Promise.all(searches.map((search) => search()));
  }

  async #findThere(resource: ApiResource, { name, uid }: OwnerRef, namespace: string): Promise<ApiObject | undefined> {
    const there = isOutOfReach(resource, namespace) ? undefined : await this.#judge.client.metadataAt(resource).find({ name, namespace });
    return there?.metadata.uid === uid ? there : undefined;
  }

  #searchOf(resource: ApiResource): UidSearch {
    const name = `${resource.version}/${resourceName(resource)}`;
    const known = this.#searches.get(name);
    if (known !== undefined) return known;
    const search = new UidSearch(this.#judge.client, resource);
    this.#searches.set(name, search);
    return search;
  }
}

/** Looks for objects of a resource by uid, in a list of all of them. All who ask while a list is being read share the next one. */
class UidSearch {
  readonly #client: Client;
  readonly #resource: ApiResource;
  readonly #reads = new SharedRuns(() => this.#read());
  /** Uids that are looked for in the next list. */
  #wanted = new Set<string>();

  constructor(client: Client, resource: ApiResource) {
    this.#client = client;
    this.#resource = resource;
  }

  async find(uid: string): Promise<ApiObject | undefined> {
    this.#wanted.add(uid);
    return (await this.#reads.next()).get(uid);
  }

  async #read(): Promise<ReadonlyMap<string, ApiObject>> {
    const wanted = this.#wanted;
    this.#wanted = new Set();
    const found = new Map<string, ApiObject>();
    for await (const { items } of this.#client.metadataAt(this.#resource).pages()) {
      for (const item of items) {
        const { uid = '' } = item.metadata;
        if (wanted.has(uid)) found.set(uid, item);
      }
    }
    return found;
  }
}
