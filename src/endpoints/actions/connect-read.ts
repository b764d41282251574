import { groupResourceOf, type ApiObject, type ObjectKey, type Resource } from '#api';
import { isRefusal, notFound } from '#errors';
import { get } from '#registry';
import type { VerbContext } from '../verb-context.ts';

/** The latest state of an object of the core group. Throws `NotFound` for the resource of the request, whichever object is missing. */
export async function readStored(context: VerbContext, kind: string, key: ObjectKey): Promise<ApiObject> {
  const found = await foundStored(context, kind, key);
  if (found === undefined) throw notFound(groupResourceOf(context.route.resource), key.name);
  return found;
}

/** The latest state of an object of the core group; undefined where it does not exist. */
export async function foundStored({ env }: VerbContext, kind: string, key: ObjectKey): Promise<ApiObject | undefined> {
  const resource = env.catalog.findKind('', kind) as Resource;
  try {
    return (await get(env.registries.of(resource), key, 'latest')).object;
  } catch (cause) {
    if (isRefusal(cause, 'NotFound')) return undefined;
    throw cause;
  }
}
