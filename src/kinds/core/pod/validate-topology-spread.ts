import type { FieldErrors } from '#errors';
import type { TopologySpreadConstraint } from './topology-spread.ts';

const ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'];

export function validateTopologySpread(constraints: readonly TopologySpreadConstraint[], at: FieldErrors): void {
  const lastAt = new Map(constraints.map((one, position) => [identityOf(one), position]));
  for (const [position, constraint] of constraints.entries()) {
    const { maxSkew, topologyKey, whenUnsatisfiable } = constraint;
    const here = at.index(position);
    if (maxSkew <= 0) here.child('maxSkew').invalid(maxSkew, 'must be greater than zero');
    if (topologyKey === '') here.child('topologyKey').required('can not be empty');
    if (!ACTIONS.includes(whenUnsatisfiable)) here.child('whenUnsatisfiable').notSupported(whenUnsatisfiable, ACTIONS);
    if (lastAt.get(identityOf(constraint)) !== position) here.child('{topologyKey, whenUnsatisfiable}').duplicate(`{${topologyKey}, ${whenUnsatisfiable}}`);
  }
}

const identityOf = ({ topologyKey, whenUnsatisfiable }: TopologySpreadConstraint): string => JSON.stringify([topologyKey, whenUnsatisfiable]);
