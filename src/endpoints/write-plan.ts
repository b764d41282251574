import { pausingAfter, when } from '#base';
import type { ApiObject, Prerequisite } from '#api';
import { timeout } from '#errors';
import type { Guard } from '#registry';
import type { OperationPlan } from './admission-options.ts';
import { admissionRequest } from './admission-request.ts';
import { checkMayCreate } from './creation-permission.ts';
import { keepOwners } from './kept-owners.ts';
import { settleNamespace } from './object-place.ts';
import type { WriteOptions } from './options.ts';
import { dropRepeatedOwners } from './owner-references.ts';
import { trackWrite } from './track-write.ts';
import type { VerbContext } from './verb-context.ts';

/** The operation of a write, and its options. */
export interface WritePlan extends OperationPlan {
  /** The write is an apply: who owns which fields is part of what it stores. */
  readonly applies?: boolean;
}

/** The plan of a write with these options. */
export function planOf(operation: 'CREATE' | 'UPDATE', { dryRun, fieldManager, fieldValidation }: WriteOptions, applies = false): WritePlan {
  return { operation, dryRun, fieldManager, fieldValidation, applies };
}

/** The guard of a write: runs validating admission on exactly the object that would be stored. `uid`: see there; empty where the client names none. */
export function guardOf(context: VerbContext, plan: WritePlan, uid = ''): Guard {
  const prerequisites: Prerequisite[] = [];
  return {
    dryRun: plan.dryRun,
    uid: uid === '' ? undefined : uid,
    subresource: context.route.subresource,
    user: context.request.user,
    version: context.route.served.version,
    warn: (text) => context.request.warn(text),
    mayForgetOwners: plan.operation !== 'DELETE' && plan.applies !== true,
    prerequisites,
    beforeCommit: unlessEnded(context),
    check(next, live, order) {
      prerequisites.length = 0;
      return admitStored(context, order === undefined ? plan : { ...plan, order }, next, live, prerequisites);
    },
  };
}

/** To be called before a commit: throws `Timeout` where the request has ended, and nobody waits for what would be stored. */
export const unlessEnded =
  ({ request }: VerbContext) =>
  (): void => {
    if (request.isEnded === true) throw timeout('the request is over, and nothing was stored for it', 0);
  };

/** For a delete, mutating admission runs here too: only here the object is known, and mutating plugins cannot change it. */
function admitStored(
  context: VerbContext,
  plan: WritePlan,
  next: ApiObject | undefined,
  live: ApiObject | undefined,
  prerequisites: Prerequisite[],
): Promise<void> | void {
  const { admission } = context.env;
  const request = admissionRequest(context, plan, next, live, prerequisites);
  const mutated = plan.operation === 'DELETE' ? admission.mutate(request) : undefined;
  const allowed = plan.operation === 'UPDATE' && live === undefined ? checkMayCreate(context) : undefined;
  return when(allowed ?? mutated, () => admission.validate(request));
}

/** Applies field management and mutating admission to the object that a client wants to store; returns the object to store. */
export function planWrite(context: VerbContext, plan: WritePlan, next: ApiObject, live: ApiObject | undefined): Promise<ApiObject> | ApiObject {
  return when(pausingAfter(() => trackWrite(context, plan, next, live)), (owned) => admitWrite(context, plan, owned, live));
}

/**
 * Mutating admission alone, for objects whose field ownership is settled. Throws `BadRequest` where the object names another namespace than the path.
 */
export function admitWrite(context: VerbContext, plan: WritePlan, owned: ApiObject, live: ApiObject | undefined): Promise<ApiObject> | ApiObject {
  const request = admissionRequest(context, plan, owned, live);
  const { managedFields } = owned.metadata;
  return when(context.env.admission.mutate(request), () => {
    const admitted = request.object ?? owned;
    keepOwners(admitted, managedFields, (text) => context.request.warn(text));
    dropRepeatedOwners(admitted, 'admitted', (text) => context.request.warn(text));
    settleNamespace(context, admitted);
    return admitted;
  });
}
