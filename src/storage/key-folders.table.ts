/** Folders that kube-apiserver does not name after the resource. Groups have their neutral names (`Brand.group`). */
export const FOLDERS: readonly { readonly group: string; readonly resource: string; readonly folder: string }[] = [
  { group: '', resource: 'endpoints', folder: 'services/endpoints' },
  { group: '', resource: 'nodes', folder: 'minions' },
  { group: '', resource: 'replicationcontrollers', folder: 'controllers' },
  { group: '', resource: 'services', folder: 'services/specs' },
  { group: 'extensions', resource: 'ingresses', folder: 'ingress' },
  { group: 'networking', resource: 'ingresses', folder: 'ingress' },
  { group: 'policy', resource: 'podsecuritypolicies', folder: 'podsecuritypolicy' },
];

/**
 * Resources of groups other than the core group whose folder lies directly under the root. Every other resource lies in a folder of its group,
 * custom resources included, whatever their group is: so none of them ever lies among the objects of a built-in kind.
 */
export const FLAT: Readonly<Record<string, readonly string[]>> = {
  admissionregistration: ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
  apps: ['controllerrevisions', 'daemonsets', 'deployments', 'replicasets', 'statefulsets'],
  autoscaling: ['horizontalpodautoscalers'],
  batch: ['cronjobs', 'jobs'],
  certificates: ['certificatesigningrequests'],
  coordination: ['leases'],
  discovery: ['endpointslices'],
  events: ['events'],
  flowcontrol: ['flowschemas', 'prioritylevelconfigurations'],
  internal: ['storageversions'],
  networking: ['ingressclasses', 'networkpolicies'],
  node: ['runtimeclasses'],
  policy: ['poddisruptionbudgets'],
  rbac: ['clusterrolebindings', 'clusterroles', 'rolebindings', 'roles'],
  scheduling: ['priorityclasses'],
  storage: ['csidrivers', 'csinodes', 'csistoragecapacities', 'storageclasses', 'volumeattachments'],
};
