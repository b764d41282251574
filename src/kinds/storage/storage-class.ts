import { utf8Length, isDeepEqual } from '#base';
import { brandOf, checkQualifiedName, defineKind, DIALECTS, formatAge, report, type ObjectMeta, type ObjectOf } from '#api';
import type { FieldErrors } from '#errors';
import { stringScalar, t } from '#schema';
import { TopologySelectorTerm } from '../core/pod/topology-selector.ts';
import { validateTopologySelectorTerms } from '../core/pod/validate-topology-selector.ts';

const RECLAIM_POLICIES = ['Delete', 'Retain'];
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer'];
const MAX_PARAMETERS = 512;
const MAX_PARAMETERS_BYTES = 256 * 1024;

class Body extends t.message('storage/v1.StorageClass', {
  provisioner: t.string(2).required(),
  parameters: t.map(3, stringScalar),
  reclaimPolicy: t.maybe.string(4).default('Delete'),
  mountOptions: t.strings(5),
  allowVolumeExpansion: t.maybe.bool(6),
  volumeBindingMode: t.maybe.string(7).default('Immediate'),
  allowedTopologies: t.many(8, TopologySelectorTerm, 'atomic'),
}) {}

export const StorageClass = defineKind(Body, {
  group: 'storage',
  kind: 'StorageClass',
  plural: 'storageclasses',
  shortNames: ['sc'],
  scope: 'Cluster',
  repeatsMetadataRules: ['content', 'change'],
  versions: { v1: { schema: Body } },
  storage: 'v1',
  retired: { v1beta1: { schema: Body } },
  createOnUpdate: false,
  deleteShowsObject: true,
  columns: [
    {
      name: 'Name',
      type: 'string',
      format: 'name',
      description: 'The name of the object, unique among those of its kind, and whether it is the class of claims that name none.',
      cell: ({ metadata }) => (isDefault(metadata) ? `${metadata.name} (default)` : (metadata.name ?? '')),
    },
    { name: 'Provisioner', type: 'string', description: 'What makes the volumes of this class.', cell: ({ provisioner }) => provisioner },
    {
      name: 'ReclaimPolicy',
      type: 'string',
      description: 'What becomes of a volume once nobody claims it.',
      cell: ({ reclaimPolicy }) => reclaimPolicy ?? 'Delete',
    },
    {
      name: 'VolumeBindingMode',
      type: 'string',
      description: 'When a claim is bound: at once, or when a pod needs it.',
      cell: ({ volumeBindingMode }) => volumeBindingMode ?? 'Immediate',
    },
    {
      name: 'AllowVolumeExpansion',
      type: 'string',
      description: 'Whether a volume of this class can grow.',
      cell: ({ allowVolumeExpansion }) => allowVolumeExpansion ?? false,
    },
    {
      name: 'Age',
      type: 'string',
      description: 'How long ago the object was created, by the clock of the server.',
      cell: ({ metadata }, nowMs) => formatAge(metadata.creationTimestamp, nowMs),
    },
  ],
  validate(next, live, at) {
    validateProvisioner(next.provisioner, at.child('provisioner'));
    validateParameters(next.parameters ?? {}, at.child('parameters'));
    if (next.reclaimPolicy && !RECLAIM_POLICIES.includes(next.reclaimPolicy)) at.child('reclaimPolicy').notSupported(next.reclaimPolicy, RECLAIM_POLICIES);
    if (!BINDING_MODES.includes(next.volumeBindingMode ?? '')) at.child('volumeBindingMode').notSupported(next.volumeBindingMode, BINDING_MODES);
    validateTopologySelectorTerms(next.allowedTopologies ?? [], at.child('allowedTopologies'));
    if (live !== undefined) validateKept(next, live, at);
  },
});
export type StorageClass = ObjectOf<typeof StorageClass>;

const DEFAULT_MARKS = DIALECTS.flatMap((dialect) =>
  ['storageclass', 'storageclass.beta'].map((prefix) => `${prefix}.${brandOf(dialect).names.domain}/is-default-class`),
);

const isDefault = ({ annotations = {} }: ObjectMeta): boolean => DEFAULT_MARKS.some((mark) => annotations[mark] === 'true');

function validateProvisioner(provisioner: string, at: FieldErrors): void {
  if (provisioner === '') at.required();
  else {
    // The fault shows the lower-case name, as in kube-apiserver.
    const checked = provisioner.toLowerCase();
    report(at, checked, checkQualifiedName(checked));
  }
}

function validateParameters(parameters: Readonly<Record<string, string>>, at: FieldErrors): void {
  const entries = Object.entries(parameters);
  if (entries.length > MAX_PARAMETERS) {
    at.tooLong('', MAX_PARAMETERS);
    return;
  }
  let bytes = 0;
  for (const [key, value] of entries) {
    if (key === '') at.invalid(key, 'field can not be empty.');
    bytes += utf8Length(key) + utf8Length(value);
  }
  if (bytes > MAX_PARAMETERS_BYTES) at.tooLong('', MAX_PARAMETERS_BYTES);
}

/** The fields that determine provisioning are immutable. */
function validateKept(next: Body, live: Body, at: FieldErrors): void {
  if (!isDeepEqual(next.parameters ?? {}, live.parameters ?? {})) at.child('parameters').forbidden('updates to parameters are forbidden.');
  if (next.provisioner !== live.provisioner) at.child('provisioner').forbidden('updates to provisioner are forbidden.');
  if (next.reclaimPolicy !== live.reclaimPolicy) at.child('reclaimPolicy').forbidden('updates to reclaimPolicy are forbidden.');
  if (next.volumeBindingMode !== live.volumeBindingMode) at.child('volumeBindingMode').invalid(next.volumeBindingMode, 'field is immutable');
}
