import { cloneJson } from '#base';
import { isRefusal, notFound } from '#errors';
import { groupResourceOf, type ApiObject, type Catalog, type KindName, type ObjectAccess, type ObjectKey, type Resource } from '#api';
import { create } from './create.ts';
import { inApiTerms, toApiError } from './failures.ts';
import { isObjectName } from './object-name.ts';
import { registryOf, type Registries } from './open.ts';
import { list } from './read.ts';
import { OWN_WRITE, type Guard, type Registry } from './registry.ts';
import { update } from './update.ts';

/** Returns `next` with the server as field manager of what it changes; `live` is undefined for a new object. Changes neither. */
export type TrackOwn = (resource: Resource, next: ApiObject, live: ApiObject | undefined, subresource: string) => ApiObject;

/** Access to the stored objects for the server's own parts, without authorization and admission. */
export function openObjectAccess(catalog: Catalog, registries: Registries, trackOwn: TrackOwn): ObjectAccess {
  const known = (kind: KindName): Registry | undefined => registryOf(kind, { catalog, registries });
  const served = (kind: KindName): Registry => {
    const registry = known(kind);
    if (registry === undefined) throw new Error(`no kind ${kind.kind} is served in group ${JSON.stringify(kind.group)}`);
    return registry;
  };
  return {
    async get(kind, key) {
      const registry = known(kind);
      if (registry === undefined) return undefined;
      // Called for every object that is created: written without further async steps.
      try {
        return (await registry.objects.get(registry.keyOf(key), 'latest'))?.object;
      } catch (cause) {
        return absentOr(toApiError(cause), key);
      }
    },
    atHand(kind, key, freshness) {
      const registry = known(kind);
      if (registry === undefined) return { object: undefined };
      try {
        const atHand = registry.objects.atHand?.(registry.keyOf(key), freshness);
        return atHand && { object: atHand.stored?.object };
      } catch (cause) {
        return { object: absentOr(toApiError(cause), key) };
      }
    },
    async list(kind, namespace) {
      const registry = known(kind);
      if (registry === undefined) return [];
      // That an object cannot be read shows where it is taken from its entry.
      return inApiTerms(async () => (await list(registry, { namespace, freshness: 'latest' })).items.map(({ object }) => object));
    },
    async follow(kind, follower, signal) {
      await known(kind)?.objects.follow(follower, signal);
    },
    create: async (kind, object) => {
      const registry = served(kind);
      return (await create(registry, trackOwn(registry.resource, cloneJson(object), undefined, ''), OWN_WRITE)).stored.object;
    },
    update: (kind, key, change, part) =>
      unlessNotFound(async () => {
        const subresource = part ?? '';
        const registry = served(kind);
        const next = (live: ApiObject | undefined): ApiObject => {
          if (live === undefined) throw notFound(groupResourceOf(registry.resource), key.name);
          const changed = change(cloneJson(live));
          return changed === undefined ? live : trackOwn(registry.resource, changed, live, subresource);
        };
        const guard: Guard = { ...OWN_WRITE, subresource };
        const written = await update(registry, key, (live) => Promise.resolve(next(live)), guard);
        return written.stored.object;
      }),
  };
}

async function unlessNotFound(read: () => Promise<ApiObject>): Promise<ApiObject | undefined> {
  try {
    return await read();
  } catch (cause) {
    return absentOr(cause);
  }
}

/** A name that no object can have is refused where a client asks for it, but here there is no such object. */
function absentOr(cause: unknown, key?: ObjectKey): undefined {
  if (isRefusal(cause, 'NotFound') || (key !== undefined && !isObjectName(key.name))) return undefined;
  throw cause;
}
