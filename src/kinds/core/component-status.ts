import { defineKind, type ObjectOf } from '#api';
import { t } from '#schema';

class ComponentCondition extends t.message('core/v1.ComponentCondition', {
  type: t.string(1).required(),
  status: t.string(2).required(),
  message: t.string(3),
  error: t.string(4),
}) {}

class Body extends t.message('core/v1.ComponentStatus', { conditions: t.many(2, ComponentCondition).mergeBy('type') }) {}

/** The health of a component, probed when it is read; never stored. */
export const ComponentStatus = defineKind(Body, {
  group: '',
  kind: 'ComponentStatus',
  plural: 'componentstatuses',
  shortNames: ['cs'],
  scope: 'Cluster',
  verbs: ['get', 'list'],
  versions: { v1: { schema: Body, deprecated: { since: '1.19' } } },
  storage: 'v1',
  action: 'component-status',
  columns: [
    { name: 'Name', type: 'string', format: 'name', description: 'The part of the system, by the name it is known by.', cell: ({ metadata }) => metadata.name ?? '' },
    { name: 'Status', type: 'string', description: 'Whether the part of the system is well.', cell: (status) => (healthOf(status)?.status === 'True' ? 'Healthy' : 'Unhealthy') },
    { name: 'Message', type: 'string', description: 'What the part of the system says about itself.', cell: (status) => healthOf(status)?.message ?? '' },
    { name: 'Error', type: 'string', description: 'Why the part of the system could not be asked.', cell: (status) => healthOf(status)?.error ?? '' },
  ],
});
export type ComponentStatus = ObjectOf<typeof ComponentStatus>;

const healthOf = ({ conditions }: { readonly conditions?: readonly ComponentCondition[] }): ComponentCondition | undefined =>
  conditions?.find(({ type }) => type === 'Healthy');
