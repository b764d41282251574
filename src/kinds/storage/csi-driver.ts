import { isDeepEqual } from '#base';
import { defineKind, nextGeneration, type ObjectOf } from '#api';
import { goTexts, type FieldErrors } from '#errors';
import { t } from '#schema';

const LIFECYCLE_MODES = ['Persistent', 'Ephemeral'];
const FS_GROUP_POLICIES = ['File', 'None', 'ReadWriteOnceWithFSType'];
const MIN_TOKEN_SECONDS = 600;
const MAX_TOKEN_SECONDS = 2 ** 32;

class TokenRequest extends t.message('storage/v1.TokenRequest', {
  audience: t.string(1).required(),
  expirationSeconds: t.maybe.int64(2),
}) {}

class Spec extends t.message(
  'storage/v1.CSIDriverSpec',
  {
    attachRequired: t.maybe.bool(1).default(true),
    podInfoOnMount: t.maybe.bool(2).default(false),
    volumeLifecycleModes: t.strings(3, 'set'),
    storageCapacity: t.maybe.bool(4).default(false),
    fsGroupPolicy: t.maybe.string(5).default('ReadWriteOnceWithFSType'),
    tokenRequests: t.many(6, TokenRequest, 'atomic'),
    requiresRepublish: t.maybe.bool(7).default(false),
  },
  {
    defaults(spec) {
      if ((spec.volumeLifecycleModes ?? []).length === 0) spec.volumeLifecycleModes = ['Persistent'];
    },
  },
) {}

class Body extends t.message('storage/v1.CSIDriver', { spec: t.one(2, Spec).required() }) {}

export const CSIDriver = defineKind(Body, {
  group: 'storage',
  kind: 'CSIDriver',
  plural: 'csidrivers',
  scope: 'Cluster',
  repeatsMetadataRules: ['change'],
  versions: { v1: { schema: Body } },
  storage: 'v1',
  retired: { v1beta1: { schema: Body } },
  createOnUpdate: false,
  unconditionalUpdate: false,
  deleteShowsObject: true,
  columns: [
    { name: 'AttachRequired', type: 'boolean', description: 'Whether volumes are attached to a node first.', cell: ({ spec }) => spec.attachRequired ?? true },
    { name: 'PodInfoOnMount', type: 'boolean', description: 'Whether the driver is told which pod mounts.', cell: ({ spec }) => spec.podInfoOnMount ?? false },
    { name: 'StorageCapacity', type: 'boolean', description: 'Whether the driver says how much space it has left.', cell: ({ spec }) => spec.storageCapacity ?? false },
    { name: 'TokenRequests', type: 'string', description: 'Audiences of the tokens the driver receives.', cell: ({ spec }) => audiences(spec) },
    { name: 'RequiresRepublish', type: 'boolean', description: 'Whether the driver is called again from time to time.', cell: ({ spec }) => spec.requiresRepublish ?? false },
    { name: 'Modes', type: 'string', description: 'Lifecycles of volumes that the driver supports.', cell: ({ spec }) => (spec.volumeLifecycleModes ?? []).join(',') || '<none>' },
  ],
  prepare(next, live) {
    // A new driver has no generation, and only changes of these fields increment it.
    if (live !== undefined && COUNTED.some((member) => !isDeepEqual(next.spec[member], live.spec[member]))) {
      next.metadata.generation = nextGeneration(live.metadata.generation);
    }
  },
  validate(next, live, at) {
    const here = at.child('spec');
    validateSpec(next.spec, here);
    if (live === undefined) return;
    validateKept(next.spec, live.spec, here);
    // kube-apiserver validates them twice.
    validateTokenRequests(next.spec.tokenRequests ?? [], here.child('tokenRequests'));
  },
});
export type CSIDriver = ObjectOf<typeof CSIDriver>;

const audiences = ({ tokenRequests = [] }: Spec): string => tokenRequests.length === 0 ? '<unset>' : tokenRequests.map(({ audience }) => audience).join(',');

function validateSpec(spec: Spec, at: FieldErrors): void {
  if (!FS_GROUP_POLICIES.includes(spec.fsGroupPolicy ?? '')) at.child('fsGroupPolicy').notSupported(spec.fsGroupPolicy, FS_GROUP_POLICIES);
  validateTokenRequests(spec.tokenRequests ?? [], at.child('tokenRequests'));
  for (const mode of spec.volumeLifecycleModes ?? []) {
    if (!LIFECYCLE_MODES.includes(mode)) at.child('volumeLifecycleModes').notSupported(mode, LIFECYCLE_MODES);
  }
}

function validateTokenRequests(requests: readonly TokenRequest[], at: FieldErrors): void {
  const seen = new Set<string>();
  for (const [position, { audience, expirationSeconds }] of requests.entries()) {
    const here = at.index(position);
    if (seen.has(audience)) {
      here.child('audience').duplicate(audience);
      continue;
    }
    seen.add(audience);
    if (expirationSeconds === undefined) continue;
    if (expirationSeconds < MIN_TOKEN_SECONDS) here.child('expirationSeconds').invalid(expirationSeconds, 'may not specify a duration less than 10 minutes');
    if (expirationSeconds > MAX_TOKEN_SECONDS) here.child('expirationSeconds').invalid(expirationSeconds, 'may not specify a duration larger than 2^32 seconds');
  }
}

/** Fields whose change increments the generation: mutable ones. */
const COUNTED = ['tokenRequests', 'requiresRepublish'] as const;

/** Immutable fields, their names in faults, and how their values are shown. */
const IMMUTABLE = [
  ['attachRequired', 'attachedRequired', ({ attachRequired }: Spec) => attachRequired],
  ['fsGroupPolicy', 'fsGroupPolicy', ({ fsGroupPolicy }: Spec) => fsGroupPolicy],
  ['podInfoOnMount', 'podInfoOnMount', ({ podInfoOnMount }: Spec) => podInfoOnMount],
  ['volumeLifecycleModes', 'volumeLifecycleModes', ({ volumeLifecycleModes }: Spec) => goTexts(volumeLifecycleModes, 'storage.VolumeLifecycleMode')],
] as const;

function validateKept(next: Spec, live: Spec, at: FieldErrors): void {
  for (const [member, known, shown] of IMMUTABLE) {
    if (!isDeepEqual(next[member], live[member])) at.child(known).invalid(shown(next), 'field is immutable');
  }
}
