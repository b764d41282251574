import { cloneJson } from '#base';
import { conflict, preconditionFailed } from '#errors';
import { formatTime } from '#schema';
import { FOREGROUND_FINALIZER, nextGeneration, ORPHAN_FINALIZER, type ApiObject, type Propagation } from '#api';
import type { DeleteOrder } from './delete-order.ts';
import type { Registry } from './registry.ts';

/**
 * What a deletion does to the live object.
 * `remove`: it is removed at once. `finalize`: it stays, marked as in `next`, until its last finalizer is gone and its grace period is over.
 * `retire`: it is marked as in `next`, so that watches see that, and then removed. `order`: the request's options, completed by the kind. @spec 3.1
 */
export type DeletionPlan = { readonly order: DeleteOrder } & (
  | { readonly do: 'remove'; readonly last: ApiObject }
  | { readonly do: 'finalize'; readonly next: ApiObject }
  | { readonly do: 'retire'; readonly next: ApiObject }
);

/** Plans the deletion of `live`, which is not changed. Throws `Conflict` where a precondition does not hold. */
export function planDeletion(of: Registry, live: ApiObject, requested: DeleteOrder): DeletionPlan {
  checkPreconditions(of, live, requested);
  const { kind } = of.resource;
  // An object that its own kind holds (a namespace) keeps the terms of its first deletion.
  if (live.metadata.deletionTimestamp && kind.finalizing?.isHeld(live) === true) return { order: requested, do: 'finalize', next: live };
  const time = timeLeft(of, live, requested);
  if (time === 'pending') return { order: requested, do: 'finalize', next: live };
  const order = resolveOptions(of, live, requested, time);
  const finalizers = finalizersFor(of, live, requested);
  const grace = time ?? 0;
  const isHeld = finalizers.length > 0 || grace > 0 || (kind.finalizing?.isHeld(live) ?? false);
  if (!isHeld && time === undefined) return { order, do: 'remove', last: live };
  const next = cloneJson(live);
  if (finalizers.length > 0) next.metadata.finalizers = [...finalizers];
  else delete next.metadata.finalizers;
  mark(of, next, grace);
  return { order, do: isHeld ? 'finalize' : 'retire', next };
}

/** Completes the options: the grace period that a kind with graceful deletion decides, and the uid of the live object for kinds with own finalizers. */
function resolveOptions({ resource: { kind } }: Registry, { metadata: { uid } }: ApiObject, requested: DeleteOrder, graceSeconds: number | undefined): DeleteOrder {
  if (graceSeconds === undefined && kind.finalizing === undefined) return requested;
  return { ...requested, ...(graceSeconds === undefined ? {} : { graceSeconds }), ...(kind.finalizing === undefined || uid === undefined ? {} : { uid }) };
}

/**
 * The grace period in seconds, for kinds with graceful deletion; undefined: the object has none.
 * `pending`: the object is being deleted already, and this request does not shorten its grace period.
 */
function timeLeft(of: Registry, live: ApiObject, { graceSeconds: requested }: DeleteOrder): number | 'pending' | undefined {
  const { kind } = of.resource;
  const { deletionTimestamp, deletionGracePeriodSeconds: left } = live.metadata;
  if (kind.grace === undefined) return undefined;
  if (!deletionTimestamp) return kind.grace(live, requested) ?? 0;
  // A deletion was interrupted between its two writes, or only finalizers hold the object.
  if (left === undefined || Number(left) === 0) return undefined;
  return requested === undefined || requested >= Number(left) ? 'pending' : requested;
}

/** Whether the object is being deleted and nothing holds it any longer: no finalizers, no grace period, not its kind. */
export function mayBeRemoved(of: Registry, next: ApiObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = next.metadata;
  if (!deletionTimestamp || (finalizers?.length ?? 0) > 0 || Number(deletionGracePeriodSeconds ?? 0) > 0) return false;
  return !(of.resource.kind.finalizing?.isHeld(next) ?? false);
}

function mark(of: Registry, next: ApiObject, grace: number): void {
  const { metadata } = next;
  const nowMs = of.clock.nowMs();
  const { finalizing } = of.resource.kind;
  // Only the first deletion is a matter of the kind; any other is that of an ordinary object.
  const isOwn = finalizing !== undefined && !metadata.deletionTimestamp;
  if (!metadata.deletionTimestamp) {
    metadata.deletionTimestamp = formatTime(nowMs + spanMs(grace));
    if (metadata.generation !== undefined && !isOwn) metadata.generation = nextGeneration(metadata.generation);
  } else if (metadata.deletionGracePeriodSeconds === undefined) {
    metadata.deletionTimestamp = earlier(metadata.deletionTimestamp, formatTime(nowMs + spanMs(grace)));
  } else if (grace < Number(metadata.deletionGracePeriodSeconds)) {
    const sooner = Number(metadata.deletionGracePeriodSeconds) - grace;
    metadata.deletionTimestamp = formatTime(Date.parse(metadata.deletionTimestamp) - spanMs(sooner));
  }
  if (isOwn) finalizing.mark(next, of.brand);
  else metadata.deletionGracePeriodSeconds = Math.min(Number(metadata.deletionGracePeriodSeconds ?? grace), grace);
}

const LONGEST_SECONDS = 9_223_372_036;

/** A span of time in milliseconds. As in 1.23 spans are 64-bit nanoseconds and overflow, so that the sum with a time is always a valid time. */
const spanMs = (seconds: number): number =>
  seconds <= LONGEST_SECONDS ? seconds * 1000 : Number(BigInt.asIntN(64, BigInt(seconds) * 1_000_000_000n) / 1_000_000n);

const earlier = (one: string, other: string): string => (one < other ? one : other);

/** The finalizers of the object after this request. Existing ones keep their order. */
function finalizersFor(of: Registry, live: ApiObject, order: DeleteOrder): readonly string[] {
  const { finalizers: now = [], deletionTimestamp } = live.metadata;
  if (of.resource.kind.finalizing?.actsAlone === true && !deletionTimestamp) return now;
  const signal = SIGNALS[propagationOf(of, live, order)];
  const wanted = signal === undefined ? [] : [signal];
  const requested = new Set(now.filter(isSignal));
  if (requested.size === wanted.length && wanted.every((one) => requested.has(one))) return now;
  return [...now.filter((one) => !isSignal(one)), ...wanted];
}

const isSignal = (finalizer: string): boolean => finalizer === ORPHAN_FINALIZER || finalizer === FOREGROUND_FINALIZER;

const SIGNALS: Readonly<Record<Propagation, string | undefined>> = { Orphan: ORPHAN_FINALIZER, Foreground: FOREGROUND_FINALIZER, Background: undefined };

/** The propagation policy: that of the request, else by the finalizers of the object, else the default. Fixed for kinds that are never collected. */
function propagationOf({ resource: { kind } }: Registry, { metadata }: ApiObject, order: DeleteOrder): Propagation {
  if (kind.cascade === 'never') return 'Background';
  if (order.propagation !== undefined) return order.propagation;
  // For kinds with finalizers of their own, `orphanDependents: false` means foreground deletion.
  const without = kind.finalizing !== undefined && !metadata.deletionTimestamp ? 'Foreground' : 'Background';
  if (order.orphanDependents !== undefined) return order.orphanDependents ? 'Orphan' : without;
  const requested = metadata.finalizers?.find(isSignal);
  if (requested !== undefined) return requested === ORPHAN_FINALIZER ? 'Orphan' : 'Foreground';
  return (order.cascade ?? kind.cascade) === 'orphan' ? 'Orphan' : 'Background';
}

function checkPreconditions(of: Registry, live: ApiObject, order: DeleteOrder): void {
  const { uid, resourceVersion, name = '' } = live.metadata;
  const { finalizing, kind, errorGroup } = of.resource.kind;
  // As in 1.23, for kinds with finalizers of their own the message names the resource and is worded differently; for all others it names the kind.
  const [resource, words] = finalizing === undefined ? [kind, inRecord] : [of.resource.plural, preconditionFailed];
  const what = { group: errorGroup ?? of.resource.group, resource };
  if (order.uid !== undefined && order.uid !== uid) throw conflict(what, name, words('UID', order.uid, uid ?? ''));
  if (order.resourceVersion !== undefined && order.resourceVersion !== resourceVersion) {
    throw conflict(what, name, words('ResourceVersion', order.resourceVersion, resourceVersion ?? ''));
  }
}

const WHAT_HAPPENED = { UID: 'deleted and then recreated', ResourceVersion: 'modified' } as const;

const inRecord = (member: keyof typeof WHAT_HAPPENED, wanted: string, found: string): string =>
  `the ${member} in the precondition (${wanted}) does not match the ${member} in record (${found}). The object might have been ${WHAT_HAPPENED[member]}`;
