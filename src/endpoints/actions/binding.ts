import { cloneJson } from '#base';
import { badRequest, conflict, FieldErrors, inOneMessage, notFound, withoutReason, type ApiError } from '#errors';
import { formatTime } from '#schema';
import type { ApiObject, ObjectKey, Resource } from '#api';
import { conditionSince, type Binding, type Pod } from '#kinds';
import { inApiTerms, notThatObject, type Registry } from '#registry';
import { admissionRequest } from '../admission-request.ts';
import { decodeBody } from '../decode-body.ts';
import { readWriteOptions } from '../options.ts';
import { trackWrite } from '../track-write.ts';
import type { VerbContext, VerbHandler } from '../verb-context.ts';
import { planOf, unlessEnded } from '../write-plan.ts';
import { decodeSubresource, trackSubresource } from './decode-subresource.ts';
import { replyDone } from './reply-done.ts';

/**
 * Assigns a pod to a node, once and for all. Serves `pods/…/binding` and `bindings`. Throws `NotFound` without the pod and `Conflict` where it
 * already has a node or is being deleted.
 * @spec 4.2
 */
export const binding: VerbHandler = async (context) => {
  const { route, env } = context;
  const options = readWriteOptions(context, 'create');
  const plan = planOf('CREATE', options);
  const isPart = route.subresource !== '';
  const sent = isPart ? trackSubresource(context, plan, await decodeSubresource(context)) : await trackWrite(context, plan, await decodeBody(context), undefined);
  const admitted = admissionRequest(context, plan, sent, undefined);
  await env.admission.mutate(admitted);
  const wanted = (admitted.object ?? sent) as Binding;
  const name = wanted.metadata.name ?? '';
  if (isPart && route.key.name !== name) throw badRequest('name in URL does not match name in Binding object');
  validate(context, wanted);
  if (name === '') throw badRequest('Name parameter required.');
  await env.admission.validate(admitted);
  await assign(context, { namespace: route.key.namespace, name }, wanted, options.dryRun);
  return replyDone(context);
};

/** Throws an error without reason: kube-apiserver does not report these errors as `Invalid`. */
function validate({ env }: VerbContext, wanted: Binding): void {
  const { brand } = env.catalog;
  const at = new FieldErrors();
  const context = { brand, subresource: '', nowMs: env.clock.nowMs() };
  env.catalog.findKind('', 'Binding')?.kind.validate?.(wanted, undefined, at, context);
  if (!at.isEmpty) throw withoutReason(inOneMessage(at.texts));
}

async function assign(context: VerbContext, key: ObjectKey, wanted: Binding, dryRun: boolean): Promise<void> {
  const { env } = context;
  const resource = env.catalog.findKind('', 'Pod') as Resource;
  const registry = env.registries.of(resource);
  await inApiTerms(() =>
    registry.objects.write(
      registry.keyOf(key),
      async (live) => {
        if (live === undefined) throw notFound(PODS, key.name);
        expectThatPod(registry, key, live, wanted);
        return { put: bind(cloneJson(live) as Pod, wanted, env.clock.nowMs()) };
      },
      { dryRun, beforeCommit: unlessEnded(context) },
    ),
  );
}

const PODS = { group: '', resource: 'pods' };

/** What a binding may expect of its pod, with the names in messages. */
const PRECONDITIONS = [['uid', 'UID'], ['resourceVersion', 'ResourceVersion']] as const;

/** Throws `Conflict` as any other write of the pod does: the fault is the pod's, and not the binding's. */
function expectThatPod(registry: Registry, key: ObjectKey, live: ApiObject, { metadata }: Binding): void {
  for (const [member, shown] of PRECONDITIONS) {
    const [expected, found] = [metadata[member], live.metadata[member] ?? ''];
    if (expected && expected !== found) throw notThatObject(registry, key, shown, expected, found);
  }
}

/** Changes the pod. */
function bind(pod: Pod, { metadata, target }: Binding, nowMs: number): ApiObject {
  const refuse = (why: string): ApiError => conflict({ group: '', resource: 'pods/binding' }, pod.metadata.name ?? '', why);
  if (pod.metadata.deletionTimestamp) throw refuse(`pod ${pod.metadata.name} is being deleted, cannot be assigned to a host`);
  if (pod.spec.nodeName) throw refuse(`pod ${pod.metadata.name} is already assigned to node ${JSON.stringify(pod.spec.nodeName)}`);
  pod.spec.nodeName = target.name ?? '';
  const added = Object.entries(metadata.annotations ?? {});
  if (added.length > 0) pod.metadata.annotations = Object.fromEntries([...Object.entries(pod.metadata.annotations ?? {}), ...added]);
  markScheduled(pod, nowMs);
  return pod;
}

const SCHEDULED = 'PodScheduled';

/** Replaces the condition where it stands; a pod that already was scheduled stays so since the same time. */
function markScheduled({ status }: Pod, nowMs: number): void {
  const conditions = status.conditions ?? [];
  const before = conditions.find(({ type }) => type === SCHEDULED);
  const since = before?.status === 'True' && before.lastTransitionTime ? before.lastTransitionTime : formatTime(nowMs);
  const scheduled = conditionSince(SCHEDULED, since);
  status.conditions = before === undefined ? [...conditions, scheduled] : conditions.map((one) => (one === before ? scheduled : one));
}
