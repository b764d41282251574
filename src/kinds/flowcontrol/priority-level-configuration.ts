import { defineKind, type ObjectOf } from '#api';
import { keepMetadata } from './keep-metadata.ts';
import { MANDATORY_PRIORITY_LEVELS, validateMandatory } from './mandatory.ts';
import { priorityLevelOf, type PriorityLevelSpec, type Queuing } from './priority-level-messages.ts';
import { showPriorityLevelSpec } from './show-spec.ts';
import { validateConditionTypes } from './validate-conditions.ts';
import { validatePriorityLevelSpec } from './validate-priority-level.ts';

const V1beta1 = priorityLevelOf('v1beta1');
const V1beta2 = priorityLevelOf('v1beta2');

/** The concurrency limit and the queuing of a priority level. */
export const PriorityLevelConfiguration = defineKind(V1beta1, {
  group: 'flowcontrol',
  kind: 'PriorityLevelConfiguration',
  plural: 'prioritylevelconfigurations',
  scope: 'Cluster',
  versions: { v1beta2: { schema: V1beta2 }, v1beta1: { schema: V1beta1, deprecated: { since: '1.23', goneIn: '1.26', use: 'v1beta2' } } },
  storage: 'v1beta1',
  retired: { v1alpha1: { schema: V1beta1 } },
  subresources: { status: { verbs: ['get', 'patch', 'update'], writes: ['status'], unowned: ['metadata'] } },
  repeatsMetadataRules: ['content'],
  generation: ['spec'],
  columns: [
    { name: 'Type', type: 'string', description: 'Whether the level limits its requests.', cell: ({ spec }) => spec.type },
    {
      name: 'AssuredConcurrencyShares',
      type: 'string',
      description: 'Its part of all requests that run at once.',
      cell: ({ spec }) => spec.limited?.assuredConcurrencyShares ?? '<none>',
    },
    { name: 'Queues', type: 'string', description: 'How many queues its requests wait in.', cell: ({ spec }) => queuingCell(spec, 'queues') },
    { name: 'HandSize', type: 'string', description: 'How many queues each flow may use.', cell: ({ spec }) => queuingCell(spec, 'handSize') },
    { name: 'QueueLengthLimit', type: 'string', description: 'How many requests may wait in one queue.', cell: ({ spec }) => queuingCell(spec, 'queueLengthLimit') },
  ],
  prepare(next, live, { subresource }) {
    if (live !== undefined && subresource === 'status') keepMetadata(next, live);
  },
  validate(next, _live, at, { subresource }) {
    if (subresource === '') {
      const { name = '' } = next.metadata;
      validatePriorityLevelSpec(name, next.spec, at.child('spec'));
      validateMandatory(MANDATORY_PRIORITY_LEVELS, name, next.spec, showPriorityLevelSpec, at.child('spec'));
    }
    validateConditionTypes(next.status, at.child('status'));
  },
});
export type PriorityLevelConfiguration = ObjectOf<typeof PriorityLevelConfiguration>;

const queuingCell = ({ limited }: PriorityLevelSpec, member: keyof Queuing): number | string =>
  limited?.limitResponse.queuing?.[member] ?? '<none>';
