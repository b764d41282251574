/** The path to the pod or pod template in the objects of all kinds that have one, by group (in neutral form) and resource. */
export const POD_PLACES: Readonly<Record<string, readonly string[]>> = {
  '/pods': [],
  '/podtemplates': ['template'],
  '/replicationcontrollers': ['spec', 'template'],
  'apps/daemonsets': ['spec', 'template'],
  'apps/deployments': ['spec', 'template'],
  'apps/replicasets': ['spec', 'template'],
  'apps/statefulsets': ['spec', 'template'],
  'batch/cronjobs': ['spec', 'jobTemplate', 'spec', 'template'],
  'batch/jobs': ['spec', 'template'],
};
