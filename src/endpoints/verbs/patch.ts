import { pausingAfter, when } from '#base';
import { conflict, notFound } from '#errors';
import { groupResourceOf, type ApiObject } from '#api';
import { update as store } from '#registry';
import { checkPlace } from '../object-place.ts';
import { readWriteOptions, type WriteOptions } from '../options.ts';
import { preparePatch, type Patch } from '../patch-mechanisms.ts';
import { mechanismOf } from '../patch-media-types.ts';
import { replyObject } from '../represent.ts';
import type { VerbContext, VerbHandler } from '../verb-context.ts';
import { admitWrite, guardOf, planOf, type WritePlan } from '../write-plan.ts';

/** @spec 4.3 @spec 4.9 */
export const patch: VerbHandler = async (context) => {
  const { request, registry, route, env } = context;
  const mechanism = mechanismOf(request, route);
  const options = readWriteOptions(context, mechanism === 'apply' ? 'apply' : 'patch');
  const body = await request.body(env.limits.maxBodyBytes);
  const prepared = preparePatch(context, mechanism, body);
  const plan = planOf('UPDATE', options, mechanism === 'apply');
  const change = (live: ApiObject | undefined): Promise<ApiObject> | ApiObject => changeBy(context, prepared, plan, live, options);
  const written = await store(registry, route.key, change, guardOf(context, plan));
  return replyObject(context, written.did === 'create' ? 201 : 200, written.stored);
};

function changeBy(
  context: VerbContext,
  prepared: Patch,
  plan: WritePlan,
  live: ApiObject | undefined,
  options: WriteOptions,
): Promise<ApiObject> | ApiObject {
  const { route } = context;
  const { name } = route.key;
  const what = groupResourceOf(route.resource);
  if (live === undefined && !(prepared.mayCreate && route.subresource === '')) throw notFound(what, name);
  return when(pausingAfter(() => prepared.apply(live, options)), (next) => {
    const { uid } = next.metadata;
    if (live === undefined && uid) throw conflict(what, name, `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`);
    checkPlace(context, next);
    return admitWrite(context, plan, next, live);
  });
}
