import { when } from '#base';
import { isRefusal, notFound } from '#errors';
import type { ApiObject, ObjectKey } from '#api';
import type { Decision, Stored, Written } from '#storage';
import type { DeleteOrder } from './delete-order.ts';
import { isReadyToGo, planDeletion, type DeletionPlan } from './deletion-plan.ts';
import { inApiTerms } from './failures.ts';
import { OWN_WRITE, type Guard, type Registry } from './registry.ts';

/**
 * Removes an object, or marks it as being deleted while something holds it. `written.did` tells which.
 * `seen`: what was read of it a moment ago, so that it need not be read again. Throws `NotFound`, `Conflict`, and what the guard throws.
 * @spec 3.1
 */
export async function remove(of: Registry, key: ObjectKey, order: DeleteOrder, guard: Guard, seen?: Stored): Promise<Written> {
  let isRetired = false;
  const decide = (live: ApiObject | undefined): Promise<Decision<ApiObject>> | Decision<ApiObject> => {
    if (live === undefined) throw notFound({ group: of.resource.group, resource: of.resource.plural }, key.name);
    const plan = planDeletion(of, live, order);
    // What goes on as it was is no deletion that anybody had to admit.
    return plan.do === 'finalize' && plan.next === live ? { keep: true } : when(guard.check(undefined, live, plan.order), () => planned(plan));
  };
  const planned = (plan: DeletionPlan): Decision<ApiObject> => {
    isRetired = plan.do === 'retire';
    return plan.do === 'remove' ? { remove: true, last: guard.dryRun ? released(plan.last) : plan.last } : { put: plan.next };
  };
  const written = await inApiTerms(() => of.objects.write(of.keyOf(key), decide, { dryRun: guard.dryRun, ...(seen === undefined ? {} : { seen }) }));
  if (!isRetired) {
    if (written.did === 'remove' && !guard.dryRun) {
      await of.reserve?.release(written.stored.object, undefined);
      if (of.resource.kind.takesAlong !== undefined) await takeAlong(of, key);
    }
    return written;
  }
  if (!guard.dryRun) await removeRetired(of, key, written.stored.object);
  return { did: 'remove', stored: written.stored };
}

/** Once an object is gone: what means nothing without it goes, too. Never throws. */
export async function takeAlong(of: Registry, key: ObjectKey): Promise<void> {
  const { takesAlong } = of.resource.kind;
  const companions = takesAlong && of.registryOf(takesAlong);
  if (companions === undefined) return;
  try {
    await remove(companions, key, {}, OWN_WRITE);
  } catch {
    // Most often there is none. Where it could not be done the object that was to go is gone all the same, and its controller looks after the rest.
  }
}

/** As a dry-run shows an object that would go: what asked the garbage collector to wait would go first. */
function released(last: ApiObject): ApiObject {
  if (last.metadata.finalizers === undefined) return last;
  const { finalizers: _gone, ...metadata } = last.metadata;
  return { ...last, metadata };
}

/** The second write for an object that was marked and has no time left. Somebody else may have been faster: what counts is that it is gone. */
async function removeRetired(of: Registry, key: ObjectKey, marked: ApiObject): Promise<void> {
  const decide = async (live: ApiObject | undefined): Promise<Decision<ApiObject>> => {
    if (live === undefined || live.metadata.uid !== marked.metadata.uid) throw notFound({ group: of.resource.group, resource: of.resource.plural }, key.name);
    return isReadyToGo(of, live) ? { remove: true } : { keep: true };
  };
  try {
    await inApiTerms(() => of.objects.write(of.keyOf(key), decide, { assume: marked }));
  } catch (cause) {
    if (!isRefusal(cause, 'NotFound')) throw cause;
  }
}
