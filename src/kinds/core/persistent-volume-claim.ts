import { cloneJson } from '#base';
import { defineKind, type Brand, type ObjectOf } from '#api';
import { differenceText, type FieldErrors } from '#errors';
import { isSameMeaning, t } from '#schema';
import { compareAmounts } from '../amounts.ts';
import { requireAmountNotNegative } from './volume/require-amount.ts';
import { PersistentVolumeClaimSpec } from './volume/claim.ts';
import { PersistentVolumeClaimStatus } from './volume/claim-status.ts';
import { annotatedClass, classAnnotation, shortAccessModes } from './volume/claim-columns.ts';
import { pendingUntilWritten } from './volume/pending-phase.ts';
import { validateClaimSpec } from './volume/validate-claim.ts';

class Body extends t.message('core/v1.PersistentVolumeClaim', { spec: t.one(2, PersistentVolumeClaimSpec), status: t.one(3, PersistentVolumeClaimStatus) }) {}

export const PersistentVolumeClaim = defineKind(Body, {
  group: '',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  shortNames: ['pvc'],
  scope: 'Namespaced',
  repeatsMetadataRules: ['content', 'change', 'content'],
  versions: { v1: { schema: Body } },
  storage: 'v1',
  subresources: { status: { verbs: ['get', 'patch', 'update'], writes: ['status'] } },
  createOnUpdate: false,
  deleteShowsObject: true,
  storedForms: pendingUntilWritten,
  columns: [
    { name: 'Status', type: 'string', description: 'Whether the claim is pending, bound or lost.', cell: ({ metadata, status }) => (metadata.deletionTimestamp ? 'Terminating' : (status.phase ?? '')) },
    { name: 'Volume', type: 'string', description: 'The volume that the claim is bound to.', cell: ({ spec }) => spec.volumeName ?? '' },
    { name: 'Capacity', type: 'string', description: 'How much space the bound volume has.', cell: ({ spec, status }) => (spec.volumeName ? (status.capacity?.['storage'] ?? '0') : '') },
    { name: 'Access Modes', type: 'string', description: 'How the bound volume can be mounted.', cell: ({ spec, status }) => (spec.volumeName ? shortAccessModes(status.accessModes) : '') },
    { name: 'StorageClass', type: 'string', description: 'StorageClass of the pvc', cell: ({ metadata, spec }) => annotatedClass(metadata.annotations) ?? spec.storageClassName ?? '' },
    { name: 'VolumeMode', type: 'string', priority: 1, description: 'Whether a file system or a bare block device is wanted.', cell: ({ spec }) => spec.volumeMode ?? '<unset>' },
  ],
  prepare(next, live, { brand, subresource }) {
    if (live === undefined) next.status = {};
    if (subresource === 'status') clearResizing(next.status, live?.status);
    else clearSources(next.spec, live?.spec, brand);
  },
  validate(next, live, at, context) {
    if (context.subresource === 'status') {
      validateStatus(next, at);
      return;
    }
    validateClaimSpec(next.spec, at.child('spec'), live?.spec);
    if (live === undefined) return;
    // As in kube-apiserver, an update is validated like a create, too.
    validateClaimSpec(next.spec, at.child('spec'), live.spec);
    validateKept(next, live, at, context.brand);
  },
});
export type PersistentVolumeClaim = ObjectOf<typeof PersistentVolumeClaim>;

/** Drops data sources that 1.23 does not know, silently: only claims and snapshots are valid. */
function clearSources(next: PersistentVolumeClaimSpec, live: PersistentVolumeClaimSpec | undefined, brand: Brand): void {
  if (live?.dataSourceRef === undefined) delete next.dataSourceRef;
  if (live?.dataSource !== undefined || next.dataSource === undefined) return;
  const { apiGroup, kind } = next.dataSource;
  const isKnown = (!apiGroup && kind === 'PersistentVolumeClaim') || (kind === 'VolumeSnapshot' && apiGroup === `snapshot.${brand.group('storage')}`);
  if (!isKnown) delete next.dataSource;
}

/** Drops fields of a feature that is off in 1.23, unless the stored claim has them. */
function clearResizing(next: PersistentVolumeClaimStatus, live: PersistentVolumeClaimStatus | undefined): void {
  if (live?.allocatedResources === undefined) delete next.allocatedResources;
  if (live?.resizeStatus === undefined) delete next.resizeStatus;
}

function validateStatus({ spec, status }: PersistentVolumeClaim, at: FieldErrors): void {
  if ((spec.accessModes ?? []).length === 0) at.child('Spec', 'accessModes').required();
  for (const [name, amount] of Object.entries(status.capacity ?? {})) requireAmountNotNegative(amount, at.child('status', 'capacity').key(name));
}

/** The spec of a claim is immutable, except that it can be bound once, and expanded while it is bound. */
function validateKept(next: PersistentVolumeClaim, live: PersistentVolumeClaim, at: FieldErrors, brand: Brand): void {
  const before = cloneJson(live.spec);
  const after = cloneJson(next.spec);
  if (!before.volumeName && after.volumeName !== undefined) before.volumeName = after.volumeName;
  const [oldClass, newClass] = [annotatedClass(live.metadata.annotations), annotatedClass(next.metadata.annotations)];
  if (before.storageClassName === undefined && (newClass ?? oldClass) === oldClass && after.storageClassName === oldClass) delete after.storageClassName;
  else if ((newClass ?? '') !== (oldClass ?? '')) at.child('metadata', 'annotations', classAnnotation(brand)).invalid(newClass ?? '', 'field is immutable');
  const [oldSize, newSize] = [storageOf(before), storageOf(after)];
  if (next.status.phase === 'Bound' && after.resources.requests !== undefined && oldSize !== undefined) after.resources.requests['storage'] = oldSize;
  if (!isSameMeaning(PersistentVolumeClaimSpec, after, before)) {
    at.child('spec').forbidden(`spec is immutable after creation except resources.requests for bound claims${differenceText(after, before)}`);
  }
  if (compareAmounts(newSize ?? '0', oldSize ?? '0') < 0) at.child('spec', 'resources', 'requests', 'storage').forbidden('field can not be less than previous value');
  if (next.spec.volumeMode !== live.spec.volumeMode) at.child('volumeMode').invalid(next.spec.volumeMode ?? null, 'field is immutable');
}

const storageOf = ({ resources }: PersistentVolumeClaimSpec): string | undefined => resources.requests?.['storage'];
