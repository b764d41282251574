/** Folders of Kubernetes' store that are not named after their resource. Groups are in neutral form. */
export const FOLDERS: readonly { readonly group: string; readonly resource: string; readonly folder: string }[] = [
  { group: '', resource: 'endpoints', folder: 'services/endpoints' },
  { group: '', resource: 'nodes', folder: 'minions' },
  { group: '', resource: 'replicationcontrollers', folder: 'controllers' },
  { group: '', resource: 'services', folder: 'services/specs' },
  { group: 'extensions', resource: 'ingresses', folder: 'ingress' },
  { group: 'networking', resource: 'ingresses', folder: 'ingress' },
  { group: 'policy', resource: 'podsecuritypolicies', folder: 'podsecuritypolicy' },
];

/** Groups whose resources lie right under the root; those of every other group, custom ones too, lie in a folder of the group. */
export const FLAT_GROUPS: readonly string[] = [
  '',
  'admissionregistration',
  'apps',
  'authentication',
  'authorization',
  'autoscaling',
  'batch',
  'certificates',
  'coordination',
  'discovery',
  'events',
  'extensions',
  'flowcontrol',
  'internal',
  'networking',
  'node',
  'policy',
  'rbac',
  'scheduling',
  'storage',
];
