import type { ApiObject, ObjectKey, Resource } from '#api';
import { get } from '#registry';
import type { VerbContext } from '../verb-context.ts';

/** An object of the core group, as it is now. Throws `NotFound`. */
export async function readStored({ env }: VerbContext, kind: string, key: ObjectKey): Promise<ApiObject> {
  const resource = env.catalog.findKind('', kind) as Resource;
  return (await get(env.registries.of(resource), key, 'latest')).object;
}
