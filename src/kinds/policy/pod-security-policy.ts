import { defineKind, type ObjectOf } from '#api';
import { t } from '#schema';
import { validateProfileAnnotations } from './profile-annotations.ts';
import { PodSecurityPolicySpec } from './security-policy-spec.ts';
import { validateSecurityPolicySpec } from './validate-security-policy.ts';

class Body extends t.message('policy/v1beta1.PodSecurityPolicy', { spec: t.one(2, PodSecurityPolicySpec) }) {}

const list = (items: readonly string[] | undefined): string => (items ?? []).join(',');

export const PodSecurityPolicy = defineKind(Body, {
  group: 'policy',
  kind: 'PodSecurityPolicy',
  plural: 'podsecuritypolicies',
  shortNames: ['psp'],
  scope: 'Cluster',
  repeatsMetadataRules: ['change'],
  versions: { v1beta1: { schema: Body, deprecated: { since: '1.21', goneIn: '1.25' } } },
  storage: 'v1beta1',
  retired: { 'extensions/v1beta1': { schema: Body } },
  createOnUpdate: false,
  deleteShowsObject: true,
  // All columns, the name included, since this kind has no age column.
  columns: [
    { name: 'Name', type: 'string', format: 'name', description: 'The name of the policy, unique in the cluster.', cell: ({ metadata }) => metadata.name ?? '' },
    { name: 'Priv', type: 'string', description: 'Whether pods may be privileged on their node.', cell: ({ spec }) => String(spec.privileged ?? false) },
    { name: 'Caps', type: 'string', description: 'Capabilities that containers may ask for.', cell: ({ spec }) => list(spec.allowedCapabilities) },
    { name: 'SELinux', type: 'string', description: 'The rule for the labels that SELinux uses.', cell: ({ spec }) => spec.seLinux.rule },
    { name: 'RunAsUser', type: 'string', description: 'The rule for the user that containers run as.', cell: ({ spec }) => spec.runAsUser.rule },
    { name: 'FsGroup', type: 'string', description: 'The rule for the group that owns volumes.', cell: ({ spec }) => spec.fsGroup.rule ?? '' },
    { name: 'SupGroup', type: 'string', description: 'The rule for supplemental groups of containers.', cell: ({ spec }) => spec.supplementalGroups.rule ?? '' },
    { name: 'ReadOnlyRootFs', type: 'string', description: 'Whether the root file system must be read-only.', cell: ({ spec }) => spec.readOnlyRootFilesystem ?? false },
    { name: 'Volumes', type: 'string', description: 'Kinds of volumes that pods may have.', cell: ({ spec }) => list(spec.volumes) },
  ],
  /** Types of `/proc` mounts belong to a feature that is off. */
  prepare({ spec }, live) {
    if (live?.spec.allowedProcMountTypes === undefined) delete spec.allowedProcMountTypes;
  },
  validate({ metadata, spec }, _live, at, { brand }) {
    validateProfileAnnotations(metadata.annotations, at.child('metadata', 'annotations'), brand);
    validateSecurityPolicySpec(spec, at);
  },
});
export type PodSecurityPolicy = ObjectOf<typeof PodSecurityPolicy>;
