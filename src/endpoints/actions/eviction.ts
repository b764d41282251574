import { isDeepEqual } from '#base';
import { badRequest, isRefusal, withoutReason } from '#errors';
import type { ApiObject, DeleteOptions } from '#api';
import type { Pod } from '#kinds';
import { get, OWN_WRITE, remove, type Guard } from '#registry';
import { admissionRequest } from '../admission-request.ts';
import { checkDeleteOptions, orderOf } from '../delete-options.ts';
import { readWriteOptions } from '../options.ts';
import type { VerbContext, VerbHandler } from '../verb-context.ts';
import { planOf, unlessEnded } from '../write-plan.ts';
import { decodeSubresource, trackSubresource } from './decode-subresource.ts';
import { useBudget, type BudgetUse } from './disruption-budget.ts';
import { replyDone } from './reply-done.ts';

type Options = InstanceType<typeof DeleteOptions>;
type Eviction = ApiObject & { deleteOptions?: Options };

/** How often an eviction is retried where the pod changes between the check and its deletion. */
const MAX_ATTEMPTS = 10;

/**
 * Deletes a pod, unless a disruption budget needs it. Throws `TooManyRequests` where a budget is used up, and what a delete throws.
 * @spec 4.2
 */
export const eviction: VerbHandler = async (context) => {
  const { route, request, env } = context;
  const requested = readWriteOptions(context, 'create');
  const sent = (await decodeSubresource(context)) as Eviction;
  const plan = planOf('CREATE', { ...requested, dryRun: requested.dryRun || isDryRun(sent) });
  const admitted = admissionRequest(context, plan, trackSubresource(context, plan, sent), undefined);
  await env.admission.mutate(admitted);
  const wanted = (admitted.object ?? sent) as Eviction;
  if (wanted.metadata.name !== route.key.name) throw badRequest('name in URL does not match name in Eviction object');
  checkSameDryRun(request.query.getAll('dryRun').filter(isGiven), dryRunOf(wanted));
  await env.admission.validate(admitted);
  // Admission may have changed the delete options.
  await evict(context, { dryRun: [], ...wanted.deleteOptions }, requested.dryRun || isDryRun(wanted));
  return replyDone(context);
};

/** `dryRun` without a value asks for nothing, in the body as in the query. */
const isGiven = (dryRun: string): boolean => dryRun !== '';
const dryRunOf = ({ deleteOptions }: Eviction): readonly string[] => (deleteOptions?.dryRun ?? []).filter(isGiven);
const isDryRun = (eviction: Eviction): boolean => dryRunOf(eviction).length > 0;

/** Where the query and the body both set `dryRun`, the values must be equal. Throws an error without reason. */
function checkSameDryRun(requested: readonly string[], carried: readonly string[]): void {
  if (requested.length === 0 || carried.length === 0 || isDeepEqual(requested, carried)) return;
  throw withoutReason(`Non-matching dry-run options in request and content: [${requested.join(' ')}] and [${carried.join(' ')}]`);
}

/**
 * Deletes the pod of the route, and charges its disruption budget where it has one. What was seen of a pod that is not charged still holds when it is
 * deleted: one that has become ready meanwhile is asked about again. Throws what the budget and the deletion throw.
 */
export async function evict(context: VerbContext, options: Options, dryRun: boolean): Promise<void> {
  const { registry, route, request } = context;
  const { order } = orderOf(context, options);
  // Admission has already run for the eviction; the deletion is not admitted again.
  const beforeCommit = unlessEnded(context);
  const guard: Guard = { ...OWN_WRITE, dryRun, warn: (text) => request.warn(text), beforeCommit };
  const insist = async (): Promise<void> => {
    checkDeleteOptions(context, options);
    await remove(registry, route.key, order, { ...guard, dryRun: true });
  };
  for (let attempt = 1; ; attempt++) {
    // Before a budget is charged, too.
    beforeCommit();
    const { object } = await get(registry, route.key, 'latest');
    const isAsSeen = await mayGoOnlyAsSeen(context, object as Pod, { dryRun, insist });
    // A used up budget is reported before invalid options are.
    checkDeleteOptions(context, options);
    const resourceVersion = order.resourceVersion ?? (isAsSeen ? object.metadata.resourceVersion : undefined);
    try {
      await remove(registry, route.key, { ...order, ...(resourceVersion === undefined ? {} : { resourceVersion }) }, guard);
      return;
    } catch (cause) {
      const isChanged = isRefusal(cause, 'Conflict') && isAsSeen && order.resourceVersion === undefined;
      if (!isChanged || attempt === MAX_ATTEMPTS) throw cause;
    }
  }
}

/** Whether the pod may be deleted only at the resourceVersion that was read. Charges the disruption budget where there is one. */
async function mayGoOnlyAsSeen(context: VerbContext, pod: Pod, use: BudgetUse): Promise<boolean> {
  const { phase } = pod.status;
  if (pod.metadata.deletionTimestamp || phase === 'Succeeded' || phase === 'Failed') return false;
  // A pending pod serves no traffic; if it starts running before the deletion, the budget has to be checked.
  if (phase === 'Pending') return true;
  return (await useBudget(context, pod, use)) === 'not needed';
}
