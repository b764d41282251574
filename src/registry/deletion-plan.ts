import { cloneJson } from '#base';
import { conflict } from '#errors';
import { formatTime } from '#schema';
import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER, type ApiObject, type Propagation } from '#api';
import type { DeleteOrder } from './delete-order.ts';
import type { Registry } from './registry.ts';

/**
 * What deleting means for an object as it stands.
 * `remove`: it goes now. `finalize`: it stays, marked as in `next`, until its last finalizer is gone and its time is up.
 * `retire`: it goes now, but whoever watches sees it marked first. `order` is what was asked for, with what the kind makes of it. @spec 3.1
 */
export type DeletionPlan = { readonly order: DeleteOrder } & (
  | { readonly do: 'remove'; readonly last: ApiObject }
  | { readonly do: 'finalize'; readonly next: ApiObject }
  | { readonly do: 'retire'; readonly next: ApiObject }
);

/** Does not change `live`. Throws `Conflict` where a precondition does not hold. */
export function planDeletion(of: Registry, live: ApiObject, asked: DeleteOrder): DeletionPlan {
  checkPreconditions(of, live, asked);
  const { kind } = of.resource;
  // What holds itself does so on the terms of its first deletion.
  if (live.metadata.deletionTimestamp && kind.finalizing?.isHeld(live) === true) return { order: asked, do: 'finalize', next: live };
  const time = timeLeft(of, live, asked);
  if (time === 'pending') return { order: asked, do: 'finalize', next: live };
  const order = settle(of, live, asked, time);
  const finalizers = finalizersFor(of, live, asked);
  const grace = time ?? 0;
  const isHeld = finalizers.length > 0 || grace > 0 || (kind.finalizing?.isHeld(live) ?? false);
  if (!isHeld && time === undefined) return { order, do: 'remove', last: live };
  const next = cloneJson(live);
  if (finalizers.length > 0) next.metadata.finalizers = [...finalizers];
  else delete next.metadata.finalizers;
  mark(of, next, grace);
  return { order, do: isHeld ? 'finalize' : 'retire', next };
}

/** Kinds with graceful deletion decide on the time, and those with finalizers of their own mean the object that is there. */
function settle({ resource: { kind } }: Registry, { metadata: { uid } }: ApiObject, asked: DeleteOrder, graceSeconds: number | undefined): DeleteOrder {
  if (graceSeconds === undefined && kind.finalizing === undefined) return asked;
  return { ...asked, ...(graceSeconds === undefined ? {} : { graceSeconds }), ...(kind.finalizing === undefined || uid === undefined ? {} : { uid }) };
}

/**
 * Seconds that an object has until it goes, for kinds with graceful deletion; undefined: it has none.
 * `pending`: it is being deleted already, and this order is not more urgent.
 */
function timeLeft(of: Registry, live: ApiObject, { graceSeconds: asked }: DeleteOrder): number | 'pending' | undefined {
  const { kind } = of.resource;
  const { deletionTimestamp, deletionGracePeriodSeconds: left } = live.metadata;
  if (kind.grace === undefined) return undefined;
  if (!deletionTimestamp) return kind.grace(live, asked) ?? 0;
  // Left from a deletion that was cut off between its two writes, or held by finalizers alone.
  if (left === undefined || Number(left) === 0) return undefined;
  return asked === undefined || asked >= Number(left) ? 'pending' : asked;
}

/** Whether nothing holds an object that is being deleted any longer. */
export function isReadyToGo(of: Registry, next: ApiObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = next.metadata;
  if (!deletionTimestamp || (finalizers?.length ?? 0) > 0 || Number(deletionGracePeriodSeconds ?? 0) > 0) return false;
  return !(of.resource.kind.finalizing?.isHeld(next) ?? false);
}

function mark(of: Registry, next: ApiObject, grace: number): void {
  const { metadata } = next;
  const nowMs = of.clock.nowMs();
  const { finalizing } = of.resource.kind;
  if (!metadata.deletionTimestamp) {
    metadata.deletionTimestamp = formatTime(nowMs + spanMs(grace));
    if (metadata.generation !== undefined && finalizing === undefined) metadata.generation = Number(metadata.generation) + 1;
  } else if (metadata.deletionGracePeriodSeconds === undefined) {
    metadata.deletionTimestamp = earlier(metadata.deletionTimestamp, formatTime(nowMs + spanMs(grace)));
  } else if (grace < Number(metadata.deletionGracePeriodSeconds)) {
    const sooner = Number(metadata.deletionGracePeriodSeconds) - grace;
    metadata.deletionTimestamp = formatTime(Date.parse(metadata.deletionTimestamp) - spanMs(sooner));
  }
  if (finalizing !== undefined) finalizing.mark(next, of.brand);
  else metadata.deletionGracePeriodSeconds = Math.min(Number(metadata.deletionGracePeriodSeconds ?? grace), grace);
}

const LONGEST_SECONDS = 9_223_372_036;

/** What a time moves by. As in 1.23 spans are nanoseconds in 64 bits, and turn round where they have no more room: every sum is a time. */
const spanMs = (seconds: number): number =>
  seconds <= LONGEST_SECONDS ? seconds * 1000 : Number(BigInt.asIntN(64, BigInt(seconds) * 1_000_000_000n) / 1_000_000n);

const earlier = (one: string, other: string): string => (one < other ? one : other);

/** The finalizers an object has once this order is given. Those that it has already stay in their order. */
function finalizersFor(of: Registry, live: ApiObject, order: DeleteOrder): readonly string[] {
  const { finalizers: now = [], deletionTimestamp } = live.metadata;
  if (of.resource.kind.finalizing?.actsAlone === true && !deletionTimestamp) return now;
  const signal = SIGNALS[propagationOf(of, live, order)];
  const wanted = signal === undefined ? [] : [signal];
  const asked = new Set(now.filter(isSignal));
  if (asked.size === wanted.length && wanted.every((one) => asked.has(one))) return now;
  return [...now.filter((one) => !isSignal(one)), ...wanted];
}

const isSignal = (finalizer: string): boolean => finalizer === ORPHAN_FINALIZER || finalizer === FOREGROUND_FINALIZER;

const SIGNALS: Readonly<Record<Propagation, string | undefined>> = { Orphan: ORPHAN_FINALIZER, Foreground: FOREGROUND_FINALIZER, Background: undefined };

/** The request's wish first, then what is there, then the kind's habit. Kinds that the garbage collector leaves alone have no choice. */
function propagationOf({ resource: { kind } }: Registry, { metadata }: ApiObject, order: DeleteOrder): Propagation {
  if (kind.cascade === 'never') return 'Background';
  if (order.propagation !== undefined) return order.propagation;
  // Kinds with finalizers of their own take the older form to mean that dependents go first.
  const without = kind.finalizing !== undefined && !metadata.deletionTimestamp ? 'Foreground' : 'Background';
  if (order.orphanDependents !== undefined) return order.orphanDependents ? 'Orphan' : without;
  const asked = metadata.finalizers?.find(isSignal);
  if (asked !== undefined) return asked === ORPHAN_FINALIZER ? 'Orphan' : 'Foreground';
  return (order.cascade ?? kind.cascade) === 'orphan' ? 'Orphan' : 'Background';
}

function checkPreconditions(of: Registry, live: ApiObject, order: DeleteOrder): void {
  const { uid, resourceVersion, name = '' } = live.metadata;
  const { finalizing, kind, errorGroup } = of.resource.kind;
  // Kinds with finalizers of their own answer for themselves and name the resource; all others name the kind.
  const [resource, words] = finalizing === undefined ? [kind, inRecord] : [of.resource.plural, inMeta];
  const what = { group: errorGroup ?? of.resource.group, resource };
  if (order.uid !== undefined && order.uid !== uid) throw conflict(what, name, words('UID', order.uid, uid));
  if (order.resourceVersion !== undefined && order.resourceVersion !== resourceVersion) {
    throw conflict(what, name, words('ResourceVersion', order.resourceVersion, resourceVersion));
  }
}

const FATE = { UID: 'deleted and then recreated', ResourceVersion: 'modified' } as const;

const inRecord = (member: keyof typeof FATE, wanted: string, found = ''): string =>
  `the ${member} in the precondition (${wanted}) does not match the ${member} in record (${found}). The object might have been ${FATE[member]}`;

const inMeta = (member: keyof typeof FATE, wanted: string, found = ''): string =>
  `Precondition failed: ${member} in precondition: ${wanted}, ${member} in object meta: ${found}`;
