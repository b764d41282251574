import { ApiError, badRequest } from '#errors';
import type { ApiObject, DeleteOptions } from '#api';
import type { Pod } from '#kinds';
import { get, remove, type DeleteOrder, type Guard } from '#registry';
import { orderOf, type AskedDelete } from '../delete-options.ts';
import { readWriteOptions } from '../options.ts';
import type { VerbContext, VerbHandler } from '../verb-context.ts';
import { admissionRequest, type WritePlan } from '../write-plan.ts';
import { decodeCarried, trackCarried } from './decode-carried.ts';
import { takeFromBudget } from './disruption-budget.ts';
import { replyDone } from './reply-done.ts';

type Eviction = ApiObject & { deleteOptions?: InstanceType<typeof DeleteOptions> };

/** A pod may change between the look at it and its deletion; so often it is looked at again. */
const MAX_ATTEMPTS = 10;

/**
 * Deletes a pod, unless a disruption budget says that it is needed.
 * Throws `TooManyRequests` where a budget is used up, and what a delete throws.
 * @spec 4.2
 */
export const eviction: VerbHandler = async (context) => {
  const { route, request, env } = context;
  const asked = readWriteOptions('CreateOptions', request.query, env.catalog.brand, false);
  const sent = (await decodeCarried(context)) as Eviction;
  const deletionOf = ({ deleteOptions }: Eviction): AskedDelete => orderOf(context, { dryRun: [], ...deleteOptions });
  const plan: WritePlan = { operation: 'CREATE', dryRun: asked.dryRun || deletionOf(sent).dryRun, fieldManager: asked.fieldManager, fieldValidation: asked.fieldValidation };
  const admitted = admissionRequest(context, plan, trackCarried(context, plan, sent), undefined);
  await env.admission.mutate(admitted);
  const wanted = (admitted.object ?? sent) as Eviction;
  if (wanted.metadata.name !== route.key.name) throw badRequest('name in URL does not match name in Eviction object');
  // Admission may have changed how the pod is to go.
  const { order, dryRun } = deletionOf(wanted);
  await env.admission.validate(admitted);
  await evict(context, order, plan.dryRun || dryRun);
  return replyDone(context);
};

async function evict(context: VerbContext, order: DeleteOrder, dryRun: boolean): Promise<void> {
  const { registry, route, request } = context;
  const guard: Guard = { dryRun, subresource: '', warn: (text) => request.warn(text), check: async () => {} };
  for (let attempt = 1; ; attempt++) {
    const { object } = await get(registry, route.key, 'latest');
    const isAsSeen = await mayGoOnlyAsSeen(context, object as Pod, dryRun);
    const resourceVersion = order.resourceVersion ?? (isAsSeen ? object.metadata.resourceVersion : undefined);
    try {
      await remove(registry, route.key, { ...order, ...(resourceVersion === undefined ? {} : { resourceVersion }) }, guard);
      return;
    } catch (cause) {
      const isChanged = cause instanceof ApiError && cause.reason === 'Conflict' && isAsSeen && order.resourceVersion === undefined;
      if (!isChanged || attempt === MAX_ATTEMPTS) throw cause;
    }
  }
}

/** Whether the pod may only go if it has not changed since it was looked at. Takes from the budget where there is one to be asked. */
async function mayGoOnlyAsSeen(context: VerbContext, pod: Pod, dryRun: boolean): Promise<boolean> {
  const { phase } = pod.status;
  if (pod.metadata.deletionTimestamp || phase === 'Succeeded' || phase === 'Failed') return false;
  // It serves nobody yet; should it begin to, the budget has to be asked.
  if (phase === 'Pending') return true;
  return (await takeFromBudget(context, pod, dryRun)) === 'not needed';
}
