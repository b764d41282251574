import type { ApiObject, ObjectKey, Resource } from '#api';
import { ApiError } from '#errors';
import { get } from '#registry';
import type { VerbContext } from '../verb-context.ts';

/** An object of the core group, as it is now. Throws `NotFound`. */
export async function readStored({ env }: VerbContext, kind: string, key: ObjectKey): Promise<ApiObject> {
  const resource = env.catalog.findKind('', kind) as Resource;
  return (await get(env.registries.of(resource), key, 'latest')).object;
}

/** The same, or undefined where there is none. */
export async function foundStored(context: VerbContext, kind: string, key: ObjectKey): Promise<ApiObject | undefined> {
  try {
    return await readStored(context, kind, key);
  } catch (cause) {
    if (cause instanceof ApiError && cause.reason === 'NotFound') return undefined;
    throw cause;
  }
}
