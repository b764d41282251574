import { cloneJson, isDeepEqual, type JsonObject } from '#base';
import { withoutReason, type ApiError } from '#errors';
import { decodeMerged, formatTime, type DecodeFailure, type MessageType } from '#schema';
import { conflictError, type Conflicts } from './conflicts.ts';
import { difference, EMPTY_SET, equalSets, isEmptySet, recursiveDifference, type FieldSet } from './fieldpath/set.ts';
import { readConfig, unconverted, untyped, type Config } from './config.ts';
import { lastAppliedOf, ownedByLastApplied, UPGRADING_MANAGER, withLastApplied } from './managers/last-applied.ts';
import { stripSystemFields } from './managers/strip-system-fields.ts';
import { identityOf, NOBODY, readManaged, writeManaged, type Entry, type Managed } from './managed-fields.ts';
import { emptyOf, managedFieldsOf, withManagedFields, withoutManagedFields } from './owned-object.ts';
import { ComparisonByVersion, moveOwnership, ownedByOthers, takeFromOthers } from './ownership.ts';
import { prune } from './prune.ts';
import { reconcile } from './reconcile.ts';
import { merge } from './typed/merge.ts';
import { hiddenMisfitOf, storedMisfitOf } from './typed/misfit.ts';
import { StructureFailure } from './typed/structure-failure.ts';
import { structureOf } from './typed/structure.ts';
import { doing, oneForm, VersionFailure, type VersionForm, type VersionForms } from './versions.ts';

/** One server-side apply to one live object. */
export interface ApplyRequest {
  /** The whole object in the storage version. */
  readonly type: MessageType;
  /** The stored object, in normal form and the storage version; undefined when there is none. */
  readonly live: object | undefined;
  /** The configuration that the applier sent: a part of an object, in the version of the request. */
  readonly config: unknown;
  /** The field manager; not empty. */
  readonly manager: string;
  readonly isForced: boolean;
  /** The version and kind of the request, as on the wire. */
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for the main resource. */
  readonly subresource: string;
  readonly nowMs: number;
  /** Sets defaults, in place, in a decoded object in the version of the request. */
  readonly defaults: (object: object) => void;
  /** See `resetFieldsOf`. */
  readonly resetFields?: FieldSet;
  /** The versions that managers may own fields in. Absent: all have the same form. */
  readonly forms?: VersionForms;
  /** The full name of the annotation of client-side apply. */
  readonly lastAppliedAnnotation?: string;
}

/** The result of an apply. */
export interface Applied {
  /** The object to store, in normal form and the storage version, with its `managedFields`. */
  readonly object: JsonObject;
  /** False: the object and its managers are unchanged, and nothing needs to be written. */
  readonly isChanged: boolean;
}

/** The manager that gets all fields of an object which was stored without `managedFields`. */
const BEFORE_FIRST_APPLY = 'before-first-apply';

/**
 * Server-side apply. Changes neither the live object nor the config; the result shares parts with both.
 * Throws ApiError: Conflict when other managers own fields that the config would change, BadRequest for a config of another version or with
 * `managedFields`, 500 when it does not fit the schema.
 * @spec 4.9
 */
export function apply(request: ApplyRequest): Applied {
  const forms = request.forms ?? oneForm(request.type);
  const form = forms(request.apiVersion);
  if (form === undefined) throw new Error(`${request.apiVersion} is not served`);
  const config = readConfig(form.type, request.config, request);
  try {
    return applyTo(request, forms, form, config);
  } catch (error) {
    if (error instanceof StructureFailure) throw unfit(request, error.message);
    if (error instanceof VersionFailure) throw withoutReason(error.message);
    throw error;
  }
}

/** Throws StructureFailure for a live object with list items that have the same key, or none. */
function applyTo(request: ApplyRequest, forms: VersionForms, form: VersionForm, { config, fields, unreadable }: Config): Applied {
  const live = request.live === undefined ? { ...emptyOf(request.type) } : withoutManagedFields(request.live);
  const misfit = hiddenMisfitOf(request.type, live);
  if (misfit !== undefined) throw unfit(request, misfit);
  const stored = request.live === undefined ? NOBODY : readManaged(managedFieldsOf(request.live));
  const before = startingOwners(request, stored, live, forms);
  const self: Entry = {
    manager: request.manager,
    operation: 'Apply',
    apiVersion: request.apiVersion,
    subresource: request.subresource,
    time: formatTime(request.nowMs),
    fields: recursiveDifference(fields, request.resetFields ?? EMPTY_SET),
  };
  const course: Course = { request, forms, form, live, config, stored, before, self };
  if (unreadable !== undefined) throw refusal(course, unreadable);
  return finish(course, applyOnce(course));
}

/** The failure where the live object does not fit its type. `why`: the first fault that was found; all are told where they are in the storage version. */
function unfit(request: ApplyRequest, why: string): ApiError {
  const live = withoutManagedFields(request.live ?? {});
  const owners = managedFieldsOf(request.live ?? {});
  const what = Array.isArray(owners) && owners.length > 0 ? 'live' : 'unowned';
  return untyped(what, request, live, storedMisfitOf(request.type, live) ?? why);
}

/** The inputs of an apply, after parsing. */
interface Course {
  readonly request: ApplyRequest;
  readonly forms: VersionForms;
  readonly form: VersionForm;
  readonly live: JsonObject;
  readonly config: JsonObject;
  /** The owners as they are stored. */
  readonly stored: Managed;
  /** The owners before this apply. */
  readonly before: Managed;
  readonly self: Entry;
}

interface Outcome {
  /** In the version of the request. */
  readonly merged: JsonObject;
  readonly managed: Map<string, Entry>;
  readonly id: string;
  readonly isSame: boolean;
}

function applyOnce(course: Course): Outcome {
  const { request, forms, form, live, config, before, self } = course;
  const id = identityOf(self);
  const managed = new Map(before).set(id, self);
  const last = before.get(id);
  const fields = sameAsLast(stripSystemFields(self.fields), last);
  const laid = merge(structureOf(form.type), form.fromStorage(live), config) as JsonObject;
  const sendsAll = last !== undefined && fields === last.fields && self.apiVersion === last.apiVersion;
  const merged = sendsAll ? laid : doing('failed to prune fields', () => prune(laid, managed, last, self, forms));
  const resetFields = request.resetFields ?? EMPTY_SET;
  const after = form.toStorage(merged);
  const changes = new ComparisonByVersion({ before: live, after, apiVersion: request.apiVersion, forms, resetFields, own: merged });
  const conflicts = ownedByOthers(managed, id, changes);
  if (conflicts.size > 0 && !request.isForced) refuse(course, conflicts, managed);
  const own = changes.in(request.apiVersion);
  const isSame = own !== undefined && own.added.size + own.modified.size + own.removed.size === 0;
  const next = takeFromOthers(managed, id, changes);
  if (isEmptySet(fields)) next.delete(id);
  else next.set(id, { ...self, fields });
  return { merged, managed: next, id, isSame };
}

/** Where the configuration cannot be decoded, conflicts are reported first, as far as they can be found without converting it. */
function refusal({ request, form, live, config, before, self }: Course, { mergedText }: DecodeFailure): ApiError {
  const shown = form.fromStorage(live);
  const merged = merge(structureOf(form.type), shown, config) as JsonObject;
  const forms: VersionForms = (apiVersion) => (apiVersion === request.apiVersion ? { ...form, fromStorage: (object) => object } : undefined);
  const changes = new ComparisonByVersion({ before: shown, after: merged, own: merged, apiVersion: request.apiVersion, forms, resetFields: request.resetFields ?? EMPTY_SET });
  const conflicts = request.isForced ? NO_CONFLICTS : ownedByOthers(before, identityOf(self), changes);
  return conflicts.size > 0 ? conflictError(conflicts, before) : unconverted(request, merged, mergedText);
}

const NO_CONFLICTS: Conflicts = new Map();

/** Most applies set other values of the same fields: the set of the last apply is reused, with what was made of it. */
const sameAsLast = (fields: FieldSet, last: Entry | undefined): FieldSet => (last !== undefined && equalSets(fields, last.fields) ? last.fields : fields);

/** Throws Conflict, unless all conflicts are with what client-side apply set and its successor now takes over. */
function refuse({ request, form, live }: Course, conflicts: Conflicts, managed: Managed): void {
  const text = request.manager === UPGRADING_MANAGER ? lastAppliedOf(live, request.lastAppliedAnnotation ?? '') : undefined;
  if (text === undefined) throw conflictError(conflicts, managed);
  const allowed = ownedByLastApplied(form.type, form.fromStorage(live), text, request);
  const all = [...conflicts].map(([id, fields]) => [id, difference(fields, allowed)] as const);
  const left = new Map(all.filter(([, fields]) => !isEmptySet(fields)));
  if (left.size > 0) throw conflictError(left, managed);
}

/** Before anything is compared: every manager's version can be converted to. Throws `VersionFailure`. */
function insistOnVersions(managed: Managed, live: JsonObject, own: string, forms: VersionForms): void {
  const others = new Set([...managed.values()].map(({ apiVersion }) => apiVersion));
  others.delete(own);
  for (const apiVersion of others) forms(apiVersion)?.fromStorage(live);
}

/** The owners before this apply: those that are stored, with fields as the schema has them now. */
function startingOwners(request: ApplyRequest, stored: Managed, live: JsonObject, forms: VersionForms): Managed {
  if (request.live === undefined) return stored;
  if (stored.size > 0) {
    insistOnVersions(stored, live, request.apiVersion, forms);
    return reconcile(stored, forms);
  }
  const change = {
    before: emptyOf(request.type),
    after: live,
    apiVersion: request.apiVersion,
    forms,
    resetFields: request.resetFields ?? EMPTY_SET,
  };
  return moveOwnership(stored, change, { ...request, manager: BEFORE_FIRST_APPLY });
}

function finish(course: Course, outcome: Outcome): Applied {
  const { request, live, stored } = course;
  const object = normalForm(course, outcome);
  const isSame = outcome.isSame || isDeepEqual(object, live);
  const next = withManagedFields(object, writeManaged(keepTime(outcome, stored, isSame)));
  return { object: next, isChanged: request.live === undefined || !isSame || !isDeepEqual(next, request.live) };
}

function normalForm({ request, form, live, config }: Course, outcome: Outcome): JsonObject {
  const annotation = request.manager === UPGRADING_MANAGER ? request.lastAppliedAnnotation : undefined;
  const isUpgraded = annotation !== undefined && lastAppliedOf(outcome.merged, annotation) !== undefined;
  if (outcome.isSame && request.live !== undefined && !isUpgraded) return cloneJson(live);
  const merged = isUpgraded ? withLastApplied(outcome.merged, annotation, config) : outcome.merged;
  // Of custom resources the nulls that the schema refuses stay, so that validation reports them.
  const object = form.type.open?.decode(merged, { keepsRefused: true }) ?? decodeMerged(form.type, merged);
  request.defaults(object);
  return form.toStorage(object);
}

/** Over an unchanged object, and where all own what they did, the entry keeps its time. */
function keepTime({ managed, id }: Outcome, stored: Managed, isSame: boolean): Managed {
  const last = stored.get(id);
  return isSame && last !== undefined && isSameOwnership(stored, managed) ? managed.set(id, last) : managed;
}

const isSameOwnership = (a: Managed, b: Managed): boolean => a.size === b.size && [...a].every(([id, entry]) => isSameEntry(entry, b.get(id)));

const isSameEntry = (a: Entry, b: Entry | undefined): boolean => b !== undefined && a.apiVersion === b.apiVersion && equalSets(a.fields, b.fields);
