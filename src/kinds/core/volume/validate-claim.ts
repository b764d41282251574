import { checkDnsSubdomain, report, validateAnnotations, validateLabelSelector, validateMatchLabels } from '#api';
import { isDeepEqual } from '#base';
import { goStruct, type FieldErrors } from '#errors';
import { isPositiveAmount } from '../../amounts.ts';
import { goPointer } from '../../go-values.ts';
import { allowOneOf, requireText } from '../../value-checks.ts';
import type {
  EphemeralVolumeSource,
  PersistentVolumeClaimSpec,
  PersistentVolumeClaimTemplate,
  PersistentVolumeClaimVolumeSource,
  TypedLocalObjectReference,
} from './claim.ts';

const DATA_SOURCE_PATH = goStruct('field.Path', { name: 'dataSource', index: '', parent: goPointer('field.Path', true) });
const ACCESS_MODES: readonly string[] = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce'];
export const VOLUME_MODES = ['Block', 'Filesystem'] as const;

const ONE_POD = 'ReadWriteOncePod';

/**
 * `ReadWriteOncePod` is off in 1.23, and therefore unknown unless it is among the stored modes, `live`; that it excludes other modes is reported all
 * the same.
 */
export function validateAccessModes(modes: readonly string[], live: readonly string[], at: FieldErrors): void {
  const known = live.includes(ONE_POD) ? [...ACCESS_MODES, ONE_POD] : ACCESS_MODES;
  for (const mode of modes) allowOneOf(mode, at, known);
  if (modes.includes(ONE_POD) && modes.some((mode) => ACCESS_MODES.includes(mode))) at.forbidden('may not use ReadWriteOncePod with other access modes');
}

export function validateClaimSource({ claimName }: PersistentVolumeClaimVolumeSource, at: FieldErrors): void {
  requireText(claimName, at.child('claimName'));
}

export function validateEphemeral({ volumeClaimTemplate }: EphemeralVolumeSource, at: FieldErrors): void {
  const here = at.child('volumeClaimTemplate');
  if (volumeClaimTemplate === undefined) here.required();
  else validateClaimTemplate(volumeClaimTemplate, here);
}

/** Other metadata than labels and annotations is refused, since it is not copied to the claim. */
function validateClaimTemplate({ metadata, spec }: PersistentVolumeClaimTemplate, at: FieldErrors): void {
  const here = at.child('metadata');
  validateAnnotations(metadata.annotations, here.child('annotations'));
  validateMatchLabels(metadata.labels, here.child('labels'));
  for (const [member, value] of Object.entries(metadata)) {
    const isUnset = member === 'labels' || member === 'annotations' || value === undefined || value === null;
    if (!isUnset) here.child(member === 'uid' ? 'uID' : member).forbidden('cannot be set for an ephemeral volume');
  }
  validateClaimSpec(spec, at.child('spec'));
}

/** Validates the spec of a claim, in a PersistentVolumeClaim or in a template. `live`: the stored one, on an update. */
export function validateClaimSpec(spec: PersistentVolumeClaimSpec, at: FieldErrors, live?: PersistentVolumeClaimSpec): void {
  const modes = spec.accessModes ?? [];
  if (modes.length === 0) at.child('accessModes').required('at least 1 access mode is required');
  validateLabelSelector(spec.selector, at.child('selector'));
  validateAccessModes(modes, live?.accessModes ?? [], at.child('accessModes'));
  validateStorage(spec.resources.requests?.['storage'], at.child('resources').key('storage'));
  if (spec.storageClassName) report(at.child('storageClassName'), spec.storageClassName, checkDnsSubdomain(spec.storageClassName));
  allowOneOf(spec.volumeMode, at.child('volumeMode'), VOLUME_MODES);
  if (spec.dataSource) validateDataSource(spec.dataSource, at.child('dataSource'));
  if (spec.dataSourceRef) validateDataSource(spec.dataSourceRef, at.child('dataSourceRef'));
  // kube-apiserver shows the path in place of the value.
  if (spec.dataSource && spec.dataSourceRef && !isDeepEqual(spec.dataSource, spec.dataSourceRef)) at.invalid(DATA_SOURCE_PATH, 'must match dataSourceRef');
}

function validateStorage(amount: string | undefined, at: FieldErrors): void {
  if (requireText(amount, at) && !isPositiveAmount(amount)) at.invalid(amount, 'must be greater than zero');
}

/** In the core group only a claim can be a data source. */
function validateDataSource({ apiGroup, kind, name }: TypedLocalObjectReference, at: FieldErrors): void {
  requireText(name, at.child('name'));
  requireText(kind, at.child('kind'));
  if (!apiGroup && kind !== 'PersistentVolumeClaim') at.invalid(kind, '');
}
