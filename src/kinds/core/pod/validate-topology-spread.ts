import type { FieldErrors } from '#errors';
import type { TopologySpreadConstraint } from './topology-spread.ts';

const ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'];

export function validateTopologySpread(constraints: readonly TopologySpreadConstraint[], at: FieldErrors): void {
  for (const [position, { maxSkew, topologyKey, whenUnsatisfiable }] of constraints.entries()) {
    const here = at.index(position);
    if (maxSkew <= 0) here.child('maxSkew').invalid(maxSkew, 'must be greater than zero');
    if (topologyKey === '') here.child('topologyKey').required('can not be empty');
    if (!ACTIONS.includes(whenUnsatisfiable)) here.child('whenUnsatisfiable').notSupported(whenUnsatisfiable, ACTIONS);
    const isRepeated = constraints
      .slice(position + 1)
      .some((other) => other.topologyKey === topologyKey && other.whenUnsatisfiable === whenUnsatisfiable);
    if (isRepeated) here.child('{topologyKey, whenUnsatisfiable}').duplicate(`{${topologyKey}, ${whenUnsatisfiable}}`);
  }
}
