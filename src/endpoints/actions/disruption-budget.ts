import { cloneJson } from '#base';
import { ApiError, forbidden, isRefusal, notFound, tooManyRequests, withoutReason, type Cause } from '#errors';
import { compileSelectorMessage, groupResourceOf, isEmptySelector, isUsableSelector, type ApiObject, type LabelSelector, type Resource } from '#api';
import { formatTime } from '#schema';
import type { Pod, PodDisruptionBudget } from '#kinds';
import { list, OWN_WRITE, update } from '#registry';
import { SERVER_AGENT } from '#request';
import type { VerbContext } from '../verb-context.ts';
import { trackWrite } from '../track-write.ts';

/** `taken`: the budget allows one disruption less. `not needed`: the pod is not ready, and the budget is met without it. */
export type BudgetOutcome = 'taken' | 'no budget' | 'not needed';

/** How a budget is used. */
export interface BudgetUse {
  readonly dryRun: boolean;
  /** Throws where the pod cannot be deleted: nothing is charged for it then. Called where the budget allows the disruption. */
  readonly insist: () => Promise<void>;
}

/** The maximum of evicted pods not yet observed as deleted; more of them mean that no controller updates the budget. */
const MAX_DISRUPTED_PODS = 2000;
const REFUSAL = "Cannot evict pod as it would violate the pod's disruption budget.";

/**
 * Charges the disruption budget of a pod for its eviction, and records the pod there until the controller has counted again. Throws `TooManyRequests`
 * where the budget does not allow it, an error without reason where two budgets select the pod, and what `insist` throws.
 * @spec 4.2
 */
export async function useBudget(context: VerbContext, pod: Pod, use: BudgetUse): Promise<BudgetOutcome> {
  const resource = context.env.catalog.findKind('policy', 'PodDisruptionBudget');
  if (resource === undefined) return 'no budget';
  const [budget, ...others] = await budgetsOf(context, resource, pod);
  if (budget === undefined) return 'no budget';
  if (others.length > 0) throw withoutReason('This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.');
  const { currentHealthy, desiredHealthy } = budget.status;
  if (!isReady(pod) && currentHealthy >= desiredHealthy && desiredHealthy > 0) return 'not needed';
  try {
    await useOne(context, resource, budget, pod.metadata.name ?? '', use);
    return 'taken';
  } catch (cause) {
    // A budget that was deleted concurrently allows everything.
    if (isRefusal(cause, 'NotFound')) return 'no budget';
    throw cause;
  }
}

async function budgetsOf({ env }: VerbContext, resource: Resource, pod: Pod): Promise<readonly PodDisruptionBudget[]> {
  const { items } = await list(env.registries.of(resource), { namespace: pod.metadata.namespace ?? '', freshness: 'latest' });
  const { emptyBudgetSelectsAll } = env.catalog.brand.deviations;
  // Validation lets values pass that no label can have: such a selector selects nothing, also where it says what a label is not.
  const isHeeded = (selector: LabelSelector | undefined): boolean => selector !== undefined && (emptyBudgetSelectsAll || !isEmptySelector(selector)) && isUsableSelector(selector);
  const budgets = items.map(({ object }) => object as PodDisruptionBudget);
  return budgets.filter(({ spec: { selector } }) => isHeeded(selector) && compileSelectorMessage(selector)(pod.metadata.labels));
}

const isReady = ({ status }: Pod): boolean => (status.conditions ?? []).some((one) => one.type === 'Ready' && one.status === 'True');

/** Charges one disruption. Throws `NotFound` where the budget was deleted. */
async function useOne(context: VerbContext, resource: Resource, budget: PodDisruptionBudget, podName: string, { dryRun, insist }: BudgetUse): Promise<void> {
  const { env, request } = context;
  const key = { namespace: budget.metadata.namespace ?? '', name: budget.metadata.name ?? '' };
  const declared = resource.kind.subresources?.['status'];
  const registry = env.registries.of(resource);
  const own: VerbContext = { ...context, registry, route: { resource, served: resource.storage, subresource: 'status', declared, verb: 'update', key } };
  const change = async (live: ApiObject | undefined): Promise<ApiObject> => {
    if (live === undefined) throw notFound(groupResourceOf(resource), key.name);
    const next = cloneJson(live) as PodDisruptionBudget;
    refuseIfUsedUp(next);
    await insist();
    countDown(next, podName, env.clock.nowMs());
    return trackWrite(own, { fieldManager: SERVER_AGENT }, next, live);
  };
  await update(registry, key, change, { ...OWN_WRITE, dryRun, subresource: 'status', warn: (text) => request.warn(text) });
}

function refuseIfUsedUp({ metadata, status }: PodDisruptionBudget): void {
  const name = metadata.name ?? '';
  const refuse = (message: string, retryAfterSeconds: number): ApiError => {
    const causes: readonly Cause[] = [{ reason: 'DisruptionBudget', message }];
    const details = { causes, ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }) };
    return new ApiError('TooManyRequests', tooManyRequests(REFUSAL, retryAfterSeconds).message, details);
  };
  if (Number(status.observedGeneration ?? 0) < Number(metadata.generation ?? 0)) {
    throw refuse(`The disruption budget ${name} is still being processed by the server.`, 10);
  }
  const of = { group: 'policy', resource: 'poddisruptionbudget' };
  if (status.disruptionsAllowed < 0) throw forbidden(of, name, 'pdb disruptions allowed is negative');
  if (Object.keys(status.disruptedPods ?? {}).length > MAX_DISRUPTED_PODS) {
    throw forbidden(of, name, 'DisruptedPods map too big - too many evictions not confirmed by PDB controller');
  }
  if (status.disruptionsAllowed === 0) {
    const { desiredHealthy, currentHealthy } = status;
    throw refuse(`The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`, 0);
  }
}

/** Changes the budget. */
function countDown({ status }: PodDisruptionBudget, podName: string, nowMs: number): void {
  const time = formatTime(nowMs);
  status.disruptionsAllowed -= 1;
  // `fromEntries` defines members: a pod may be called `__proto__`.
  status.disruptedPods = Object.fromEntries([...Object.entries(status.disruptedPods ?? {}), [podName, time]]);
  if (status.disruptionsAllowed > 0) return;
  const before = (status.conditions ?? []).find(({ type }) => type === 'DisruptionAllowed');
  const condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    ...(status.observedGeneration === undefined ? {} : { observedGeneration: status.observedGeneration }),
    lastTransitionTime: before?.status === 'False' ? before.lastTransitionTime : time,
    reason: 'InsufficientPods',
    message: '',
  };
  status.conditions = [...(status.conditions ?? []).filter(({ type }) => type !== 'DisruptionAllowed'), condition];
}
