import { checkDnsSubdomain, report } from '#api';
import { goQuoted, GoValue, type FieldErrors } from '#errors';
import { isPositiveAmount } from '../../amounts.ts';
import { goQuantity } from '../../go-values.ts';
import type { PodRules } from '../pod/pod-rules.ts';
import { validateNodeSelector } from '../pod/validate-node-selector.ts';
import { allowOneOf } from '../../value-checks.ts';
import { requireAmountNotNegative } from './require-amount.ts';
import type { PersistentVolumeSource } from './persistent-volume-source.ts';
import type { PersistentVolumeSpec, VolumeNodeAffinity } from './persistent-volume-spec.ts';
import { validateAccessModes, VOLUME_MODES } from './validate-claim.ts';
import { validateAzureDisk, validateCloudDisk, validatePhoton, validateVsphere } from './validate-cloud-disk.ts';
import { validateFlex } from './validate-driver.ts';
import { validateHostPath } from './validate-local.ts';
import { validateFc, validateLastingIscsi, validatePortworx, validateRbd, validateScaleIo } from './validate-network-block.ts';
import { validateCephfs, validateFlocker, validateNfs, validateQuobyte } from './validate-network-file.ts';
import {
  validateLocal,
  validatePersistentAzureFile,
  validatePersistentCinder,
  validatePersistentCsi,
  validatePersistentGlusterfs,
  validatePersistentStorageOs,
} from './validate-persistent-source.ts';
import { placeOf, surplusPlaceOf } from './validate-volumes.ts';

type SourceKind = keyof PersistentVolumeSource;
type ValidateSource = (source: PersistentVolumeSource, at: FieldErrors, rules: PodRules, volumeName: string) => void;

const of =
  <K extends SourceKind>(kind: K, validate: (source: NonNullable<PersistentVolumeSource[K]>, at: FieldErrors, rules: PodRules, volumeName: string) => void): ValidateSource =>
  (source, at, rules, volumeName) => {
    const value = source[kind];
    if (value !== undefined) validate(value, at, rules, volumeName);
  };

/** Validators by volume type, in the order in which the first one that is set counts. */
const VALIDATE_SOURCE: Readonly<Record<SourceKind, ValidateSource>> = {
  hostPath: of('hostPath', validateHostPath),
  gcePersistentDisk: of('gcePersistentDisk', (disk, at) => validateCloudDisk('pdName', disk.pdName, disk.partition, at)),
  awsElasticBlockStore: of('awsElasticBlockStore', (disk, at) => validateCloudDisk('volumeID', disk.volumeID, disk.partition, at)),
  glusterfs: of('glusterfs', validatePersistentGlusterfs),
  flocker: of('flocker', validateFlocker),
  nfs: of('nfs', validateNfs),
  rbd: of('rbd', validateRbd),
  quobyte: of('quobyte', validateQuobyte),
  cephfs: of('cephfs', validateCephfs),
  iscsi: of('iscsi', (iscsi, at, _rules, volumeName) => validateLastingIscsi(iscsi, volumeName, at)),
  cinder: of('cinder', validatePersistentCinder),
  fc: of('fc', validateFc),
  flexVolume: of('flexVolume', validateFlex),
  azureFile: of('azureFile', validatePersistentAzureFile),
  vsphereVolume: of('vsphereVolume', validateVsphere),
  photonPersistentDisk: of('photonPersistentDisk', validatePhoton),
  portworxVolume: of('portworxVolume', validatePortworx),
  azureDisk: of('azureDisk', validateAzureDisk),
  scaleIO: of('scaleIO', validateScaleIo),
  local: of('local', validateLocal),
  storageos: of('storageos', validatePersistentStorageOs),
  csi: of('csi', validatePersistentCsi),
};
export const PERSISTENT_VOLUME_KINDS = Object.keys(VALIDATE_SOURCE) as readonly SourceKind[];

const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'];

/** The location of a spec: a PersistentVolume of this name, whose stored spec is `live`, or inline in a VolumeAttachment. */
export type SpecPlace = { readonly volumeName: string; readonly live: PersistentVolumeSpec | undefined } | 'inline';

export function validatePersistentVolumeSpec(spec: PersistentVolumeSpec, place: SpecPlace, at: FieldErrors, rules: PodRules): void {
  const isInline = place === 'inline';
  const modes = spec.accessModes ?? [];
  if (isInline) validateInline(spec, at);
  if (modes.length === 0) at.child('accessModes').required();
  validateAccessModes(modes, isInline ? [] : (place.live?.accessModes ?? []), at.child('accessModes'));
  if (!isInline) validateCapacity(spec.capacity, at.child('capacity'));
  validateReclaimPolicy(spec.persistentVolumeReclaimPolicy, isInline, at.child('persistentVolumeReclaimPolicy'));
  if (spec.nodeAffinity !== undefined) validateNodeAffinity(spec.nodeAffinity, isInline, at.child('nodeAffinity'));
  validateSource(spec, place, at, rules);
  const path = spec.hostPath?.path;
  if (path?.startsWith('/') === true && isRoot(path) && spec.persistentVolumeReclaimPolicy === 'Recycle') {
    at.child('persistentVolumeReclaimPolicy').forbidden(`may not be 'recycle' for a hostPath mount of '/'`);
  }
  validateClass(spec.storageClassName, isInline, at.child('storageClassName'));
  validateMode(spec.volumeMode, isInline, at.child('volumeMode'));
}

/** Whether the path resolves to the root. */
function isRoot(path: string): boolean {
  let depth = 0;
  for (const step of path.split('/')) {
    if (step === '..') depth = Math.max(0, depth - 1);
    else if (step !== '' && step !== '.') depth++;
  }
  return depth === 0;
}

const INLINE = 'may not be specified in the context of inline volumes';

function validateInline(spec: PersistentVolumeSpec, at: FieldErrors): void {
  if (spec.claimRef !== undefined) at.child('claimRef').forbidden(INLINE);
  if (Object.keys(spec.capacity ?? {}).length > 0) at.child('capacity').forbidden(INLINE);
  if (spec.csi === undefined) at.child('csi').required('has to be specified in the context of inline volumes');
}

function validateCapacity(capacity: PersistentVolumeSpec['capacity'], at: FieldErrors): void {
  const amounts = Object.entries(capacity ?? {});
  if (amounts.length === 0) at.required();
  if (amounts.length !== 1 || amounts[0]?.[0] !== 'storage') at.notSupported(showCapacity(capacity), ['storage']);
  for (const [name, amount] of amounts) validateAmount(amount, at.key(name));
}

function validateReclaimPolicy(policy: string | undefined, isInline: boolean, at: FieldErrors): void {
  if (!policy) return;
  if (!isInline) allowOneOf(policy, at, RECLAIM_POLICIES);
  else if (policy !== 'Retain') at.forbidden('may only be Retain in the context of inline volumes');
}

function validateNodeAffinity({ required }: VolumeNodeAffinity, isInline: boolean, at: FieldErrors): void {
  if (isInline) at.forbidden(INLINE);
  else if (required === undefined) at.child('required').required('must specify required node constraints');
  else validateNodeSelector(required, at.child('required'));
}

function validateClass(name: string | undefined, isInline: boolean, at: FieldErrors): void {
  if (!name) return;
  if (isInline) at.forbidden(INLINE);
  else report(at, name, checkDnsSubdomain(name));
}

function validateMode(mode: string | undefined, isInline: boolean, at: FieldErrors): void {
  if (!isInline) allowOneOf(mode, at, VOLUME_MODES);
  else if (mode !== undefined && mode !== 'Filesystem') at.forbidden('may not specify volumeMode other than Filesystem in the context of inline volumes');
}

function showCapacity(capacity: PersistentVolumeSpec['capacity']): GoValue {
  if (capacity === undefined || capacity === null) return new GoValue('core.ResourceList(nil)');
  const amounts = (): readonly string[] => Object.keys(capacity).sort().map((name) => `${goQuoted(name)}:${showAmount(capacity[name] ?? '')}`);
  return new GoValue(() => `core.ResourceList{${amounts().join(', ')}}`);
}

function showAmount(text: string): string {
  const amount = goQuantity(text);
  return amount instanceof GoValue ? amount.text : text;
}

function validateAmount(amount: string, at: FieldErrors): void {
  requireAmountNotNegative(amount, at);
  if (!isPositiveAmount(amount)) at.invalid(amount, 'must be greater than zero');
}

function validateSource(spec: PersistentVolumeSpec, place: SpecPlace, at: FieldErrors, rules: PodRules): void {
  const kinds = PERSISTENT_VOLUME_KINDS.filter((one) => spec[one] !== undefined);
  if (kinds.length === 0) at.required('must specify a volume type');
  const volumeName = place === 'inline' ? '' : place.volumeName;
  for (const [position, kind] of kinds.entries()) {
    // kube-apiserver accepts a flexVolume beside another type.
    if (position > 0 && kind !== 'flexVolume') {
      surplusPlaceOf(kind, at).forbidden('may not specify more than 1 volume type');
      continue;
    }
    VALIDATE_SOURCE[kind](spec, placeOf(kind, at), rules, volumeName);
    if (kind === 'local' && (place === 'inline' || spec.nodeAffinity === undefined)) at.child('nodeAffinity').required('Local volume requires node affinity');
  }
}
