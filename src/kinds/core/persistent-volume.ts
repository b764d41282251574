import { isDeepEqual } from '#base';
import { defineKind, type Brand, type HookContext, type ObjectOf } from '#api';
import { differenceText, goStruct, type FieldErrors } from '#errors';
import { t } from '#schema';
import { goPointer } from '../go-values.ts';
import { podRulesOf } from './pod/pod-rules.ts';
import { annotatedClass, shortAccessModes } from './volume/claim-columns.ts';
import { pendingUntilWritten } from './volume/pending-phase.ts';
import { PersistentVolumeSpec } from './volume/persistent-volume-spec.ts';
import { PERSISTENT_VOLUME_KINDS, validatePersistentVolumeSpec } from './volume/validate-persistent-volume.ts';

class Status extends t.message('core/v1.PersistentVolumeStatus', {
  phase: t.string(1).default('Pending'),
  message: t.string(2),
  reason: t.string(3),
}) {}

class Body extends t.message(
  'core/v1.PersistentVolume',
  { spec: t.one(2, PersistentVolumeSpec), status: t.one(3, Status) },
  {
    // Defaults of the kind and not of the message: an inline spec in another object does not get them.
    defaults({ spec }) {
      spec.persistentVolumeReclaimPolicy ||= 'Retain';
      spec.volumeMode ??= 'Filesystem';
    },
  },
) {}

export const PersistentVolume = defineKind(Body, {
  group: '',
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  shortNames: ['pv'],
  scope: 'Cluster',
  versions: { v1: { schema: Body } },
  storage: 'v1',
  subresources: { status: { verbs: ['get', 'patch', 'update'], writes: ['status'] } },
  createOnUpdate: false,
  deleteShowsObject: true,
  repeatsMetadataRules: ['content', 'content'],
  storedForms: pendingUntilWritten,
  columns: [
    { name: 'Capacity', type: 'string', description: 'How much space there is on the volume.', cell: ({ spec }) => spec.capacity?.['storage'] ?? '0' },
    { name: 'Access Modes', type: 'string', description: 'In which ways the volume can be mounted.', cell: ({ spec }) => shortAccessModes(spec.accessModes) },
    { name: 'Reclaim Policy', type: 'string', description: 'What becomes of the volume once nobody claims it.', cell: ({ spec }) => spec.persistentVolumeReclaimPolicy ?? '' },
    { name: 'Status', type: 'string', description: 'Whether the volume is available, bound, released or failed.', cell: ({ metadata, status }) => (metadata.deletionTimestamp ? 'Terminating' : (status.phase ?? '')) },
    { name: 'Claim', type: 'string', description: 'The claim that the volume is bound to, with its namespace.', cell: ({ spec }) => claimOf(spec) },
    { name: 'StorageClass', type: 'string', description: 'StorageClass of the pv', cell: ({ metadata, spec }) => annotatedClass(metadata.annotations) ?? spec.storageClassName ?? '' },
    { name: 'Reason', type: 'string', description: 'A short word for what went wrong, if anything did.', cell: ({ status }) => status.reason ?? '' },
    { name: 'VolumeMode', type: 'string', priority: 1, description: 'Whether the volume has a file system or is a bare block device.', cell: ({ spec }) => spec.volumeMode ?? '<unset>' },
  ],
  prepare(next, live) {
    if (live === undefined) next.status = {};
  },
  validate(next, live, at, context) {
    if (context.subresource === 'status') return;
    validateVolume(next, live, at, context);
    validateMountOptions(next, at.child('metadata'), context.brand);
    if (live === undefined) return;
    // As in kube-apiserver, an update is validated like a create, too.
    validateVolume(next, live, at, context);
    validateKept(next.spec, live.spec, at);
  },
});
export type PersistentVolume = ObjectOf<typeof PersistentVolume>;

const claimOf = ({ claimRef }: PersistentVolumeSpec): string => (claimRef === undefined ? '' : `${claimRef.namespace ?? ''}/${claimRef.name ?? ''}`);

function validateVolume({ metadata, spec }: PersistentVolume, live: PersistentVolume | undefined, at: FieldErrors, context: HookContext): void {
  validatePersistentVolumeSpec(spec, { volumeName: metadata.name ?? '', live: live?.spec }, at.child('spec'), podRulesOf(context));
}

/** Volume types whose mount options may be in an annotation, which was used before there was a field. */
const MOUNTED_WITH_OPTIONS = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'cinder',
  'cephfs',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
] as const;

function validateMountOptions({ metadata, spec }: PersistentVolume, at: FieldErrors, { names }: Brand): void {
  const key = `volume.beta.${names.domain}/mount-options`;
  if (!Object.hasOwn(metadata.annotations ?? {}, key) || MOUNTED_WITH_OPTIONS.some((kind) => spec[kind] !== undefined)) return;
  at.child('annotations', key).forbidden('may not specify mount options for this volume type');
}

/** The source of a volume is immutable; only a secret for its expansion may be added later. */
function validateKept(next: PersistentVolumeSpec, live: PersistentVolumeSpec, at: FieldErrors): void {
  const sourceOf = (spec: PersistentVolumeSpec): object =>
    Object.fromEntries(
      PERSISTENT_VOLUME_KINDS.map((kind) => {
        if (kind !== 'csi' || spec.csi === undefined || live.csi?.controllerExpandSecretRef !== undefined) return [kind, spec[kind]];
        const { controllerExpandSecretRef: _, ...rest } = spec.csi;
        return [kind, rest];
      }),
    );
  const [sent, kept] = [sourceOf(next), sourceOf(live)];
  if (!isDeepEqual(sent, kept)) at.child('spec', 'persistentvolumesource').forbidden(`spec.persistentvolumesource is immutable after creation${differenceText(sent, kept)}`);
  if (next.volumeMode !== live.volumeMode) at.child('volumeMode').invalid(next.volumeMode ?? null, 'field is immutable');
  if (live.nodeAffinity !== undefined && !isDeepEqual(next.nodeAffinity, live.nodeAffinity)) {
    at.child('nodeAffinity').invalid(next.nodeAffinity && goStruct('core.VolumeNodeAffinity', { Required: goPointer('core.NodeSelector', next.nodeAffinity.required) }), 'field is immutable');
  }
}
