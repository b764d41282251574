import type { Log } from '#base';
import type { ApiObject, Brand, Catalog, Resource } from '#api';
import { POLICY_KINDS, type Policy, type PolicyKind } from '#authorization';
import type { EventSink, Registries, Registry, Written } from '#registry';

/** Registries whose writes to roles and bindings are answered once the policy has seen them: no decision after the answer is older. */
export interface FollowedPolicy {
  readonly registries: Registries;
  /** Reads what is stored and follows what changes, until the signal aborts. Until it resolves nothing may be decided. */
  start(signal: AbortSignal, log: Log): Promise<void>;
}

export function followPolicy(registries: Registries, catalog: Catalog, brand: Brand, policy: Policy): FollowedPolicy {
  const followed = new Map<Resource, Registry>();
  const feeds: PolicyFeed[] = [];
  for (const kind of POLICY_KINDS) {
    const resource = catalog.findKind(brand.group('rbac'), kind);
    if (resource === undefined) continue;
    const feed = new PolicyFeed(kind, registries.of(resource), policy);
    feeds.push(feed);
    followed.set(resource, feed.registry);
  }
  return {
    registries: { of: (resource) => followed.get(resource) ?? registries.of(resource) },
    start: async (signal, log) => void (await Promise.all(feeds.map((feed) => feed.start(signal, log)))),
  };
}

/** One kind of object on its way into the policy. */
class PolicyFeed {
  /** Its writes wait until the policy has seen them. */
  readonly registry: Registry;
  readonly #kind: PolicyKind;
  readonly #source: Registry;
  readonly #policy: Policy;
  /** Revision of each object as the policy knows it. */
  readonly #known = new Map<string, number>();
  #position = 0;
  #waiting: (() => boolean)[] = [];
  #isFollowing = false;

  constructor(kind: PolicyKind, source: Registry, policy: Policy) {
    this.#kind = kind;
    this.#source = source;
    this.#policy = policy;
    const { objects } = source;
    this.registry = {
      ...source,
      objects: {
        get: (key, freshness) => objects.get(key, freshness),
        list: (query) => objects.list(query),
        watch: (query, sink, signal) => objects.watch(query, sink, signal),
        write: async (key, decide, hints) => {
          const written = await objects.write(key, decide, hints);
          if (hints?.dryRun !== true) await this.#seen(written);
          return written;
        },
      },
    };
  }

  async start(signal: AbortSignal, log: Log): Promise<void> {
    const prefix = this.#source.prefixOf('');
    const { items, revision } = await this.#source.objects.list({ prefix, freshness: 'latest' });
    this.#replace(items);
    this.#position = revision;
    const sink: EventSink = {
      events: (batch) => {
        for (const event of batch) {
          if (event.type !== 'BOOKMARK') this.#take(event.type === 'DELETED', event.stored.key, event.stored.object, event.revision);
          this.#position = Math.max(this.#position, event.revision);
        }
        this.#wake();
        return true;
      },
      end: (cause) => {
        if (signal.aborted) this.#stop();
        else this.#again(signal, log, cause);
      },
    };
    await this.#source.objects.watch({ prefix, since: revision, bookmarks: false }, sink, signal);
    this.#isFollowing = true;
    this.#wake();
  }

  /** A watch ends when it was too slow, or with the store. */
  #again(signal: AbortSignal, log: Log, cause: Error | undefined): void {
    this.start(signal, log).catch((failure: unknown) => {
      this.#stop();
      if (!signal.aborted) log.error('roles and bindings are no longer followed: restart the server', { kind: this.#kind, cause, failure });
    });
  }

  /** Whoever waits would wait for ever. */
  #stop(): void {
    this.#isFollowing = false;
    this.#wake();
  }

  #replace(items: readonly { readonly key: string; readonly object: ApiObject; readonly revision: number }[]): void {
    const standing = new Set(items.map(({ key }) => key));
    for (const key of [...this.#known.keys()]) if (!standing.has(key)) this.#forget(key);
    for (const { key, object, revision } of items) this.#take(false, key, object, revision);
  }

  #take(isGone: boolean, key: string, object: ApiObject, revision: number): void {
    if (isGone) return this.#forget(key);
    this.#known.set(key, revision);
    this.#policy.put(this.#kind, object);
  }

  /** Keys end in `…/namespace/name` or `…/name`. */
  #forget(key: string): void {
    this.#known.delete(key);
    const [parent = '', name = ''] = key.split('/').slice(-2);
    const namespace = this.#source.resource.kind.scope === 'Cluster' ? '' : parent;
    this.#policy.remove(this.#kind, { namespace, name });
  }

  #seen({ did, stored: { key, revision } }: Written): Promise<void> {
    if (did === 'nothing') return Promise.resolve();
    const isSeen = (): boolean =>
      !this.#isFollowing || (did === 'remove' ? (this.#known.get(key) ?? Infinity) > revision : this.#position >= revision);
    if (isSeen()) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(() => {
        if (!isSeen()) return false;
        resolve();
        return true;
      });
    });
  }

  #wake(): void {
    if (this.#waiting.length > 0) this.#waiting = this.#waiting.filter((isDone) => !isDone());
  }
}
