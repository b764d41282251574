import { when } from '#base';
import { isRefusal, notFound } from '#errors';
import { groupResourceOf, type ApiObject, type ObjectKey } from '#api';
import type { Decision, Stored, Written } from '#storage';
import type { DeleteOrder } from './delete-order.ts';
import { mayBeRemoved, planDeletion, type DeletionPlan } from './deletion-plan.ts';
import { inApiTerms } from './failures.ts';
import { OWN_WRITE, type Guard, type Registry } from './registry.ts';
import { releaseOf } from './with-allocation.ts';

/**
 * Removes an object, or marks it as being deleted while finalizers or its grace period hold it. `written.did` tells which.
 * `seen`: the object as it was just read, so that it need not be read again. Throws `NotFound`, `Conflict`, and what the guard throws.
 * @spec 3.1
 */
export async function remove(of: Registry, key: ObjectKey, order: DeleteOrder, guard: Guard, seen?: Stored): Promise<Written> {
  /** Of the last decision: it is made again after a lost race. */
  let isRetired = false;
  const decide = (live: ApiObject | undefined): Promise<Decision<ApiObject>> | Decision<ApiObject> => {
    if (live === undefined) throw notFound(groupResourceOf(of.resource), key.name);
    const plan = planDeletion(of, live, order);
    isRetired = plan.do === 'retire';
    // A deletion that changes nothing needs no admission.
    return plan.do === 'finalize' && plan.next === live ? { keep: true } : when(guard.check(undefined, live, plan.order), () => planned(plan));
  };
  const planned = (plan: DeletionPlan): Decision<ApiObject> =>
    plan.do === 'remove' ? { remove: true, last: guard.dryRun ? released(plan.last) : plan.last } : { put: plan.next };
  const written = await inApiTerms(() => of.objects.write(of.keyOf(key), decide, { dryRun: guard.dryRun, beforeCommit: guard.beforeCommit, ...(seen === undefined ? {} : { seen }) }));
  if (!isRetired) {
    if (written.did === 'remove' && !guard.dryRun) {
      await releaseOf(of, written.stored.object);
      if (of.resource.kind.takesAlong !== undefined) await removeCompanion(of, key);
    }
    return written;
  }
  if (!guard.dryRun) await removeRetired(of, key, written.stored.object);
  return { did: 'remove', stored: written.stored };
}

/** After an object was removed, removes its companion of the kind `takesAlong`, which is useless without it. Never rejects. */
export async function removeCompanion(of: Registry, key: ObjectKey): Promise<void> {
  const { takesAlong } = of.resource.kind;
  const companions = takesAlong && of.registryOf(takesAlong);
  if (companions === undefined) return;
  try {
    await remove(companions, key, {}, OWN_WRITE);
  } catch {
    // Mostly there is no companion. If removing it fails, the object itself is gone all the same, and its controller cleans up.
  }
}

/** The last state of an object as a dry-run shows it: without the finalizers, which would have been removed before. */
function released(last: ApiObject): ApiObject {
  if (last.metadata.finalizers === undefined) return last;
  const { finalizers: _gone, ...metadata } = last.metadata;
  return { ...last, metadata };
}

/** The second write of an object that was marked with no grace period left. Another request may have removed it first, which is a success too. */
async function removeRetired(of: Registry, key: ObjectKey, marked: ApiObject): Promise<void> {
  const decide = async (live: ApiObject | undefined): Promise<Decision<ApiObject>> => {
    if (live === undefined || live.metadata.uid !== marked.metadata.uid) throw notFound(groupResourceOf(of.resource), key.name);
    return mayBeRemoved(of, live) ? { remove: true } : { keep: true };
  };
  try {
    await inApiTerms(() => of.objects.write(of.keyOf(key), decide, { assume: marked }));
  } catch (cause) {
    if (!isRefusal(cause, 'NotFound')) throw cause;
  }
}
