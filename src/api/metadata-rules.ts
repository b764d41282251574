/**
 * What an object's metadata must look like, whatever the kind.
 * @spec 2.2
 */
import { isLongerThan, utf8Length } from '#base';
import { goStruct, goTexts, GoValue, type FieldErrors } from '#errors';
import { brandOf, DIALECTS } from './brand.ts';
import type { KindDefinition, NameForm } from './kind.ts';
import {
  checkDns1035Label,
  checkDnsLabel,
  checkDnsSubdomain,
  checkPathSegment,
  checkPathSegmentPrefix,
  checkQualifiedName,
  nameBeginning,
  report,
  type Faults,
} from './names.ts';
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from './object-meta.ts';
import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER } from './propagation.ts';
import { validateMatchLabels } from './selectors/label-selector.ts';

/** The rules that a kind chooses. */
export interface MetadataForm {
  readonly scope: KindDefinition['scope'];
  readonly nameForm: NameForm;
  /** Also finalizers without a domain. */
  readonly takesAnyFinalizer?: boolean | undefined;
}

/** All annotations of an object together, keys and values in UTF-8. */
export const MAX_ANNOTATIONS_BYTES = 256 * 1024;
const MAX_MANAGER_LENGTH = 128;
const MAX_SUBRESOURCE_LENGTH = 256;

/** Validates metadata on create, after the name was generated. `at` is the path of `metadata`. */
export function validateObjectMeta(meta: ObjectMeta, form: MetadataForm, at: FieldErrors): void {
  validateName(meta, form.nameForm, at);
  validateNamespace(meta.namespace ?? '', form.scope, at.child('namespace'));
  if ((meta.generation ?? 0) < 0) at.child('generation').invalid(meta.generation, 'must be greater than or equal to 0');
  if (meta.clusterName) report(at.child('clusterName'), meta.clusterName, checkDns1035Label(meta.clusterName));
  validateParts(meta, at);
  validateFinalizers(meta.finalizers ?? [], at.child('finalizers'));
  validateManagers(meta.managedFields ?? [], at.child('managedFields'));
  if (form.takesAnyFinalizer !== true) validateFinalizerDomains(meta.finalizers ?? [], at.child('finalizers'));
}

/** Validates metadata on update. Server-owned fields must have been carried over: an absent field counts as changed. */
export function validateObjectMetaUpdate(next: ObjectMeta, live: ObjectMeta, form: Pick<MetadataForm, 'takesAnyFinalizer'>, at: FieldErrors): void {
  if (live.deletionTimestamp) validateNoNewFinalizers(next, live, at.child('finalizers'));
  if (!next.resourceVersion) at.child('resourceVersion').invalid(next.resourceVersion ?? '', 'must be specified for an update');
  if ((next.generation ?? 0) < (live.generation ?? 0)) at.child('generation').invalid(next.generation ?? 0, 'must not be decremented');
  for (const member of IMMUTABLE) {
    if ((next[member] ?? '') !== (live[member] ?? '')) at.child(member).invalid(showMember(next[member]), 'field is immutable');
  }
  validateParts(next, at);
  validateManagers(next.managedFields ?? [], at.child('managedFields'));
  if (form.takesAnyFinalizer !== true) validateFinalizerDomains(next.finalizers ?? [], at.child('finalizers'));
}

const IMMUTABLE = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'clusterName',
] as const;

/** Times in messages are not in their wire form. */
function showMember(value: string | number | bigint | null | undefined): unknown {
  const time = typeof value === 'string' ? /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})Z$/.exec(value) : null;
  return time === null ? value : new GoValue(`${time[1]} ${time[2]} +0000 UTC`);
}

const NAME_FORMS: Readonly<Record<NameForm, (name: string) => Faults>> = {
  'dns-subdomain': checkDnsSubdomain,
  'dns-label': checkDnsLabel,
  'dns-1035-label': checkDns1035Label,
  'path-segment': checkPathSegment,
};

/** Checks a name. */
const checkName = (form: NameForm, name: string): Faults => NAME_FORMS[form](name);

/** Checks the prefix of a generated name. */
function checkNamePrefix(form: NameForm, prefix: string): Faults {
  return form === 'path-segment' ? checkPathSegmentPrefix(prefix) : checkName(form, nameBeginning(prefix));
}

function validateName(meta: ObjectMeta, form: NameForm, at: FieldErrors): void {
  if (meta.generateName) report(at.child('generateName'), meta.generateName, checkNamePrefix(form, meta.generateName));
  if (meta.name) report(at.child('name'), meta.name, checkName(form, meta.name));
  else at.child('name').required('name or generateName is required');
}

function validateNamespace(namespace: string, scope: MetadataForm['scope'], at: FieldErrors): void {
  if (scope === 'Cluster') {
    if (namespace !== '') at.forbidden('not allowed on this type');
  } else if (namespace === '') {
    at.required();
  } else {
    report(at, namespace, checkDnsLabel(namespace));
  }
}

/** Rules for new and changed metadata. `at` is the path of `metadata`. */
function validateParts(meta: ObjectMeta, at: FieldErrors): void {
  validateMatchLabels(meta.labels, at.child('labels'));
  validateAnnotations(meta.annotations, at.child('annotations'));
  validateOwnerReferences(meta.ownerReferences ?? [], at.child('ownerReferences'));
}

/** Also for the annotations of templates inside objects. */
export function validateAnnotations(annotations: Readonly<Record<string, string>> | null | undefined, at: FieldErrors): void {
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations ?? {})) {
    report(at, key, checkQualifiedName(key.toLowerCase()));
    bytes += utf8Length(key) + utf8Length(value);
  }
  if (bytes > MAX_ANNOTATIONS_BYTES) at.tooLong('', MAX_ANNOTATIONS_BYTES);
}

function validateOwnerReferences(owners: readonly OwnerReference[], at: FieldErrors): void {
  let controller = '';
  let shown: GoValue | undefined;
  for (const owner of owners) {
    validateOwnerReference(owner, at);
    if (owner.controller !== true) continue;
    // One without a name, which is a fault of its own, does not count, as in kube-apiserver.
    if (controller === '') controller = owner.name;
    else at.invalid((shown ??= showOwners(owners)), `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${owner.name}`);
  }
}

const showOwners = (owners: readonly OwnerReference[]): GoValue => new GoValue(() => `[]v1.OwnerReference{${owners.map((owner) => showOwner(owner).text).join(', ')}}`);

function showOwner({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): GoValue {
  // Go prints pointers as addresses, which mean nothing: only whether they are nil is shown.
  const pointer = (value: boolean | undefined): GoValue => new GoValue(`(*bool)(${value === undefined ? 'nil' : '0xc000000000'})`);
  const pointers = { Controller: pointer(controller), BlockOwnerDeletion: pointer(blockOwnerDeletion) };
  return goStruct('v1.OwnerReference', { APIVersion: apiVersion, Kind: kind, Name: name, UID: uid, ...pointers });
}

function validateOwnerReference(owner: OwnerReference, at: FieldErrors): void {
  const { apiVersion, kind, name, uid } = owner;
  if (versionOf(apiVersion) === '') at.child('apiVersion').invalid(apiVersion, 'version must not be empty');
  if (kind === '') at.child('kind').invalid(kind, 'kind must not be empty');
  if (name === '') at.child('name').invalid(name, 'name must not be empty');
  if (uid === '') at.child('uid').invalid(uid, 'uid must not be empty');
  if (apiVersion === 'v1' && kind === 'Event') at.invalid(showOwner(owner), '/v1, Kind=Event is disallowed from being an owner');
}

/** The version in `version` or `group/version`; empty when there is none. */
function versionOf(apiVersion: string): string {
  const parts = apiVersion.split('/', 3);
  return parts.length > 2 ? '' : (parts.at(-1) ?? '');
}

/** Finalizers without a domain. */
const STANDARD_FINALIZERS: ReadonlySet<string> = new Set([
  ORPHAN_FINALIZER,
  FOREGROUND_FINALIZER,
  ...DIALECTS.map((dialect) => brandOf(dialect).names.namespaceFinalizer),
]);

function validateFinalizerDomains(finalizers: readonly string[], at: FieldErrors): void {
  for (const [position, finalizer] of finalizers.entries()) report(at.index(position), finalizer, checkFinalizer(finalizer));
}

function validateFinalizers(finalizers: readonly string[], at: FieldErrors): void {
  for (const finalizer of finalizers) report(at, finalizer, checkQualifiedName(finalizer));
  if (finalizers.includes(ORPHAN_FINALIZER) && finalizers.includes(FOREGROUND_FINALIZER)) {
    at.invalid(goTexts(finalizers), 'finalizer orphan and foregroundDeletion cannot be both set');
  }
}

/** A finalizer has a domain, unless it is one of the few that the API itself uses. */
export function checkFinalizer(finalizer: string): Faults {
  return finalizer.includes('/') || STANDARD_FINALIZERS.has(finalizer)
    ? undefined
    : ['name is neither a standard finalizer name nor is it fully qualified'];
}

function validateNoNewFinalizers(next: ObjectMeta, live: ObjectMeta, at: FieldErrors): void {
  const before = new Set(live.finalizers ?? []);
  const added = [...new Set(next.finalizers)].filter((one) => !before.has(one)).toSorted();
  if (added.length > 0) {
    at.forbidden(`no new finalizers can be added if the object is being deleted, found new finalizers ${goTexts(added).text}`);
  }
}

function validateManagers(entries: readonly ManagedFieldsEntry[], at: FieldErrors): void {
  for (const [position, entry] of entries.entries()) validateManagedFields(entry, at.index(position));
}

function validateManagedFields(entry: ManagedFieldsEntry, at: FieldErrors): void {
  if (entry.operation !== 'Apply' && entry.operation !== 'Update')
    at.child('operation').invalid(entry.operation ?? '', 'must be `Apply` or `Update`');
  if (entry.fieldsType && entry.fieldsType !== 'FieldsV1') at.child('fieldsType').invalid(entry.fieldsType, 'must be `FieldsV1`');
  validateFieldManager(entry.manager ?? '', at.child('manager'));
  if (isLongerThan(entry.subresource ?? '', MAX_SUBRESOURCE_LENGTH)) at.child('subresource').tooLong(entry.subresource, MAX_SUBRESOURCE_LENGTH);
}

const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

/** The name of a field manager, in an entry or in the query. */
export function validateFieldManager(manager: string, at: FieldErrors): void {
  if (utf8Length(manager) > MAX_MANAGER_LENGTH) at.tooLong(manager, MAX_MANAGER_LENGTH);
  if (!UNPRINTABLE.test(manager)) return;
  let position = 0;
  for (const character of manager) {
    const code = character.codePointAt(0) ?? 0;
    if (UNPRINTABLE.test(character)) at.invalid(manager, `invalid character U+${code.toString(16).toUpperCase().padStart(4, '0')} (at position ${position})`);
    position += utf8Length(character);
  }
}
