import { defineKind, formatAge, type ObjectOf } from '#api';
import { flowSchemaOf } from './flow-schema-messages.ts';
import { keepMetadata } from './keep-metadata.ts';
import { MANDATORY_FLOW_SCHEMAS, validateMandatory } from './mandatory.ts';
import { showFlowSchemaSpec } from './show-spec.ts';
import { validateConditionTypes } from './validate-conditions.ts';
import { validateFlowSchemaSpec } from './validate-flow-schema.ts';

const V1beta1 = flowSchemaOf('v1beta1');
const V1beta2 = flowSchemaOf('v1beta2');

/** Assigns requests to priority levels. */
export const FlowSchema = defineKind(V1beta1, {
  group: 'flowcontrol',
  kind: 'FlowSchema',
  plural: 'flowschemas',
  scope: 'Cluster',
  versions: { v1beta2: { schema: V1beta2 }, v1beta1: { schema: V1beta1, deprecated: { since: '1.23', goneIn: '1.26', use: 'v1beta2' } } },
  storage: 'v1beta1',
  retired: { v1alpha1: { schema: V1beta1 } },
  subresources: { status: { verbs: ['get', 'patch', 'update'], writes: ['status'], unowned: ['metadata'] } },
  repeatsMetadataRules: ['content'],
  generation: ['spec'],
  columns: [
    { name: 'PriorityLevel', type: 'string', description: 'The priority level that its requests belong to.', cell: ({ spec }) => spec.priorityLevelConfiguration.name },
    { name: 'MatchingPrecedence', type: 'string', description: 'The lower, the earlier a request is compared with it.', cell: ({ spec }) => spec.matchingPrecedence },
    {
      name: 'DistinguisherMethod',
      type: 'string',
      description: 'What divides its requests into flows.',
      cell: ({ spec }) => spec.distinguisherMethod?.type ?? '<none>',
    },
    { name: 'Age', type: 'string', description: 'How long ago the object was created, by the clock of the server.', cell: ({ metadata }, nowMs) => formatAge(metadata.creationTimestamp, nowMs) },
    {
      name: 'MissingPL',
      type: 'string',
      description: 'Whether the priority level it names is missing.',
      cell: ({ status }) => isDangling(status.conditions ?? []),
    },
  ],
  compareRows: ({ spec: one }, { spec: other }) => one.matchingPrecedence - other.matchingPrecedence,
  prepare(next, live, { subresource }) {
    if (live !== undefined && subresource === 'status') keepMetadata(next, live);
  },
  validate(next, _live, at, { subresource }) {
    if (subresource === '') {
      const { name = '' } = next.metadata;
      validateFlowSchemaSpec(name, next.spec, at.child('spec'));
      validateMandatory(MANDATORY_FLOW_SCHEMAS, name, next.spec, showFlowSchemaSpec, at.child('spec'));
    }
    validateConditionTypes(next.status, at.child('status'));
  },
});
export type FlowSchema = ObjectOf<typeof FlowSchema>;

function isDangling(conditions: readonly { readonly type?: string; readonly status?: string }[]): string {
  const told = conditions.find(({ type }) => type === 'Dangling');
  return told === undefined ? '?' : (told.status ?? '');
}
