import type { ApiObject, ObjectKey, Resource } from '#api';
import { isRefusal, notFound } from '#errors';
import { get } from '#registry';
import type { VerbContext } from '../verb-context.ts';

/**
 * An object of the core group, as it is now. Throws `NotFound`: whatever is missing on the way, it is what the request is about that cannot be
 * reached.
 */
export async function readStored(context: VerbContext, kind: string, key: ObjectKey): Promise<ApiObject> {
  const found = await foundStored(context, kind, key);
  const { group, plural } = context.route.resource;
  if (found === undefined) throw notFound({ group, resource: plural }, key.name);
  return found;
}

/** The same, or undefined where there is none. */
export async function foundStored({ env }: VerbContext, kind: string, key: ObjectKey): Promise<ApiObject | undefined> {
  const resource = env.catalog.findKind('', kind) as Resource;
  try {
    return (await get(env.registries.of(resource), key, 'latest')).object;
  } catch (cause) {
    if (isRefusal(cause, 'NotFound')) return undefined;
    throw cause;
  }
}
