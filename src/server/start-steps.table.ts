/** The parts of a start that health checks name, in the order they are shown. */
export const START_STEPS = [
  'poststarthook/start-kube-apiserver-admission-initializer',
  'poststarthook/generic-apiserver-start-informers',
  'poststarthook/bootstrap-controller',
  'poststarthook/rbac/bootstrap-roles',
  'poststarthook/scheduling/bootstrap-system-priority-classes',
] as const;

export type StartStep = (typeof START_STEPS)[number];
