import { checkDnsLabel, checkDnsSubdomain, report } from '#api';
import { goQuoted, type FieldErrors } from '#errors';
import type { PodRules } from '../pod/pod-rules.ts';
import { requireValid } from '../../value-checks.ts';
import { checkIscsiNames } from './validate-network-block.ts';
import { VALIDATE_SOURCE } from './validate-sources.ts';
import type { Volume, VolumeKind } from './volume.ts';

/** The order of types that decides which one counts where a volume has several; not the order of declaration. */
const ORDER: readonly VolumeKind[] = [
  'emptyDir',
  'hostPath',
  'gitRepo',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'secret',
  'nfs',
  'iscsi',
  'glusterfs',
  'flocker',
  'persistentVolumeClaim',
  'rbd',
  'cinder',
  'cephfs',
  'quobyte',
  'downwardAPI',
  'fc',
  'flexVolume',
  'configMap',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'storageos',
  'projected',
  'scaleIO',
  'csi',
  'ephemeral',
];

/** Path segments in faults that differ from the name of the field: for a surplus type, and inside a type. */
const SURPLUS_NAMES: ReadonlyMap<string, string> = new Map([['downwardAPI', 'downwarAPI'], ['cephfs', 'cephFS']]);
export const placeOf = (kind: string, at: FieldErrors): FieldErrors => at.child(kind === 'gcePersistentDisk' ? 'persistentDisk' : kind);
export const surplusPlaceOf = (kind: string, at: FieldErrors): FieldErrors => at.child(SURPLUS_NAMES.get(kind) ?? kind);

/** Validates all volumes. Returns the valid ones by name: only they can be mounted. */
export function validateVolumes(volumes: readonly Volume[], podName: string, at: FieldErrors, rules: PodRules): ReadonlyMap<string, Volume> {
  const good = new Map<string, Volume>();
  const made = new Set(podName === '' ? [] : volumes.filter(({ ephemeral }) => ephemeral !== undefined).map(({ name }) => `${podName}-${name}`));
  for (const [position, volume] of volumes.entries()) {
    const here = at.index(position);
    const before = here.causes.length;
    validateSource(volume, podName, here, rules);
    requireValid(volume.name, here.child('name'), checkDnsLabel);
    if (good.has(volume.name)) here.child('name').duplicate(volume.name);
    if (here.causes.length === before) good.set(volume.name, volume);
    validateForeignClaim(volume, made, here);
  }
  return good;
}

/** A claim that is created for an ephemeral volume of the pod must be used through that volume only. */
function validateForeignClaim({ persistentVolumeClaim: claim }: Volume, made: ReadonlySet<string>, at: FieldErrors): void {
  if (claim !== undefined && made.has(claim.claimName)) {
    at.child('persistentVolumeClaim', 'claimName').invalid(claim.claimName, 'must not reference a PVC that gets created for an ephemeral volume');
  }
}

function validateSource(volume: Volume, podName: string, at: FieldErrors, rules: PodRules): void {
  const kinds = ORDER.filter((one) => volume[one] !== undefined);
  if (kinds.length === 0) at.required('must specify a volume type');
  for (const [position, kind] of kinds.entries()) {
    if (position === 0) VALIDATE_SOURCE[kind](volume, placeOf(kind, at), rules);
    else surplusPlaceOf(kind, at).forbidden('may not specify more than 1 volume type');
    // Names that are derived from the name of the volume; those of iSCSI are validated even where it is surplus.
    if (kind === 'iscsi' && volume.iscsi) report(at.child('name'), volume.name, checkIscsiNames(volume.name, volume.iscsi));
    if (kind === 'ephemeral' && position === 0) validateClaimName(podName, volume.name, at.child('name'));
  }
}

function validateClaimName(podName: string, name: string, at: FieldErrors): void {
  if (podName === '' || name === '') return;
  const claim = `${podName}-${name}`;
  for (const fault of checkDnsSubdomain(claim) ?? []) at.invalid(name, `PVC name ${goQuoted(claim)}: ${fault}`);
}
