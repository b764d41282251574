import { pausingAfter, when } from '#base';
import { managerName, resetFieldsOf, track, withoutOwners } from '#apply';
import type { AdmissionRequest, Operation } from '#admission';
import { objectTypeOf, type ApiObject, type Prerequisite } from '#api';
import { ApiError } from '#errors';
import type { DeleteOrder, Guard } from '#registry';
import { headerText } from '#request';
import { admissionOptions } from './admission-options.ts';
import { checkMayCreate } from './creation-permission.ts';
import { keepOwners } from './kept-owners.ts';
import { namespaceOf, settleNamespace } from './object-place.ts';
import type { WriteOptions } from './options.ts';
import { dropRepeatedOwners } from './owner-references.ts';
import type { VerbContext } from './verb-context.ts';
import { inEachVersion } from './version-forms.ts';

/** The operation of a write, and its options. */
export interface WritePlan {
  readonly operation: Operation;
  readonly dryRun: boolean;
  readonly fieldManager: string;
  /** As in the query; absent or empty where it is not given. */
  readonly fieldValidation?: string;
  /** For deletes: propagation, grace period and preconditions. */
  readonly order?: DeleteOrder;
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
    check(next, live, order) {
      prerequisites.length = 0;
      return admitStored(context, order === undefined ? plan : { ...plan, order }, next, live, prerequisites);
    },
  };
}

/** For a delete, mutating admission runs here too: only here the object is known, and mutating plugins cannot change it. */
function admitStored(
  context: VerbContext,
  plan: WritePlan,
  next: ApiObject | undefined,
  live: ApiObject | undefined,
  prerequisites: Prerequisite[],
): Promise<void> | void {
  const { admission } = context.env;
  const request = new PlannedAdmission(context, plan, next, live, prerequisites);
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
    dropRepeatedOwners(admitted, true, (text) => context.request.warn(text));
    settleNamespace(context, admitted);
    return admitted;
  });
}

/** The field manager of this write: the one that the query names, else the program that sends it. */
export const managerOf = ({ request }: VerbContext, { fieldManager }: Pick<WritePlan, 'fieldManager'>): string =>
  managerName(fieldManager, headerText(request.headers, 'user-agent'));

/**
 * `next` with `managedFields` after this write; without any, where the object cannot be converted to the version of one of its managers.
 * `forgetsOwners`: a patch emptied `managedFields`.
 */
export function trackWrite(
  context: VerbContext,
  plan: Pick<WritePlan, 'fieldManager'>,
  next: ApiObject,
  live: ApiObject | undefined,
  forgetsOwners = false,
): ApiObject | Promise<ApiObject> {
  const { route, request, env } = context;
  // Those of a patch are dropped after admission alone: until then its object has them, and nobody can own what is named twice.
  if (route.verb !== 'patch') dropRepeatedOwners(next, false, (text) => request.warn(text));
  const tracked = inEachVersion(route.resource, (forms) =>
    track({
      type: objectTypeOf(route.resource.storage.schema),
      live,
      next,
      manager: managerOf(context, plan),
      apiVersion: route.served.apiVersion,
      subresource: route.subresource,
      nowMs: env.clock.nowMs(),
      resetFields: resetFieldsOf(route.resource.kind, route.subresource),
      forgetsOwners,
      forms,
    }),
  );
  return tracked instanceof Promise ? tracked.catch((cause: unknown) => ownedByNobody(next, cause)) : tracked;
}

/** A conversion webhook that only field management needs must not fail the write. */
function ownedByNobody(next: ApiObject, cause: unknown): ApiObject {
  if (!(cause instanceof ApiError)) throw cause;
  return withoutOwners(next);
}

export const admissionRequest = (
  context: VerbContext,
  plan: WritePlan,
  object: ApiObject | undefined,
  live: ApiObject | undefined,
): AdmissionRequest => new PlannedAdmission(context, plan, object, live);

/** A class: two instances are created per write, and most plugins read few of the members. */
class PlannedAdmission implements AdmissionRequest {
  readonly operation: Operation;
  readonly resource: AdmissionRequest['resource'];
  readonly served: AdmissionRequest['served'];
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly nameInPath: string;
  readonly user: AdmissionRequest['user'];
  readonly dryRun: boolean;
  readonly live: ApiObject | undefined;
  object: ApiObject | undefined;
  readonly #context: VerbContext;
  readonly #plan: WritePlan;
  readonly #prerequisites: Prerequisite[] | undefined;

  constructor(context: VerbContext, plan: WritePlan, object: ApiObject | undefined, live: ApiObject | undefined, prerequisites?: Prerequisite[]) {
    const { route, request } = context;
    const { resource, key } = route;
    this.operation = plan.operation === 'UPDATE' && live === undefined ? 'CREATE' : plan.operation;
    this.resource = resource;
    this.served = route.served;
    this.subresource = route.subresource;
    this.namespace = namespaceOf(resource, key.name === '' ? { ...key, name: object?.metadata.name ?? '' } : key);
    this.name = key.name === '' ? (object?.metadata.name ?? '') : key.name;
    this.nameInPath = key.name;
    this.user = request.user;
    this.dryRun = plan.dryRun;
    this.live = live;
    this.object = object;
    this.#context = context;
    this.#plan = plan;
    this.#prerequisites = prerequisites;
  }

  get options(): AdmissionRequest['options'] {
    return admissionOptions(this.operation, this.#plan, this.#context.env.catalog.brand);
  }

  get signal(): AbortSignal {
    return this.#context.request.signal;
  }

  get deadlineAt(): number | undefined {
    return this.#context.request.deadlineAt;
  }

  annotate(key: string, value: string): void {
    this.#context.request.annotate(key, value);
  }

  warn(text: string): void {
    this.#context.request.warn(text);
  }

  onlyWhile(prerequisite: Prerequisite): void {
    this.#prerequisites?.push(prerequisite);
  }
}
