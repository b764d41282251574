import { cloneJson } from '#base';
import { notFound } from '#errors';
import { groupResourceOf, type ApiObject } from '#api';
import { update as store } from '#registry';
import { decodeBody } from '../decode-body.ts';
import { checkPlace } from '../object-place.ts';
import { readWriteOptions } from '../options.ts';
import { replyObject } from '../represent.ts';
import type { VerbContext, VerbHandler } from '../verb-context.ts';
import { guardOf, planOf, planWrite } from '../write-plan.ts';

/** @spec 4.3 */
export const update: VerbHandler = async (context) => {
  const { registry, route } = context;
  const options = readWriteOptions(context, 'update');
  const sent = await decodeBody(context);
  checkPlace(context, sent);
  const plan = planOf('UPDATE', options);
  const change = (live: ApiObject | undefined): Promise<ApiObject> | ApiObject => {
    if (live === undefined && !mayCreate(context, sent)) throw notFound(groupResourceOf(route.resource), route.key.name);
    // Called again after a conflict with another write: each attempt starts from the body as sent.
    return planWrite(context, plan, cloneJson(sent), live);
  };
  const { uid } = sent.metadata;
  const written = await store(registry, route.key, change, guardOf(context, plan, uid));
  return replyObject(context, written.did === 'create' ? 201 : 200, written.stored);
};

/** Whether PUT of an absent object creates it (R4.2-09). */
function mayCreate({ route, env }: VerbContext, sent: ApiObject): boolean {
  if (route.subresource !== '') return false;
  const { kind } = route.resource;
  if (!env.catalog.brand.deviations.putCreates) return kind.createOnUpdate ?? false;
  const hasBoth = kind.verbs === undefined || (kind.verbs.includes('create') && kind.verbs.includes('update'));
  return hasBoth && !sent.metadata.resourceVersion && !sent.metadata.uid;
}
