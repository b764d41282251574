import type { BindingRow } from './row.ts';

/** The cluster role bindings of a new server. Service accounts are those of the system namespace. @spec 2.15 */
export const CLUSTER_ROLE_BINDINGS: readonly BindingRow[] = [
  { name: 'cluster-admin', to: ['Group system:masters'] },
  { name: 'system:basic-user', to: ['Group system:authenticated'] },
  { name: 'system:controller:attachdetach-controller', to: ['ServiceAccount attachdetach-controller'] },
  { name: 'system:controller:certificate-controller', to: ['ServiceAccount certificate-controller'] },
  { name: 'system:controller:clusterrole-aggregation-controller', to: ['ServiceAccount clusterrole-aggregation-controller'] },
  { name: 'system:controller:cronjob-controller', to: ['ServiceAccount cronjob-controller'] },
  { name: 'system:controller:daemon-set-controller', to: ['ServiceAccount daemon-set-controller'] },
  { name: 'system:controller:deployment-controller', to: ['ServiceAccount deployment-controller'] },
  { name: 'system:controller:disruption-controller', to: ['ServiceAccount disruption-controller'] },
  { name: 'system:controller:endpoint-controller', to: ['ServiceAccount endpoint-controller'] },
  { name: 'system:controller:endpointslice-controller', to: ['ServiceAccount endpointslice-controller'] },
  { name: 'system:controller:endpointslicemirroring-controller', to: ['ServiceAccount endpointslicemirroring-controller'] },
  { name: 'system:controller:ephemeral-volume-controller', to: ['ServiceAccount ephemeral-volume-controller'] },
  { name: 'system:controller:expand-controller', to: ['ServiceAccount expand-controller'] },
  { name: 'system:controller:generic-garbage-collector', to: ['ServiceAccount generic-garbage-collector'] },
  { name: 'system:controller:horizontal-pod-autoscaler', to: ['ServiceAccount horizontal-pod-autoscaler'] },
  { name: 'system:controller:job-controller', to: ['ServiceAccount job-controller'] },
  { name: 'system:controller:namespace-controller', to: ['ServiceAccount namespace-controller'] },
  { name: 'system:controller:node-controller', to: ['ServiceAccount node-controller'] },
  { name: 'system:controller:persistent-volume-binder', to: ['ServiceAccount persistent-volume-binder'] },
  { name: 'system:controller:pod-garbage-collector', to: ['ServiceAccount pod-garbage-collector'] },
  { name: 'system:controller:pv-protection-controller', to: ['ServiceAccount pv-protection-controller'] },
  { name: 'system:controller:pvc-protection-controller', to: ['ServiceAccount pvc-protection-controller'] },
  { name: 'system:controller:replicaset-controller', to: ['ServiceAccount replicaset-controller'] },
  { name: 'system:controller:replication-controller', to: ['ServiceAccount replication-controller'] },
  { name: 'system:controller:resourcequota-controller', to: ['ServiceAccount resourcequota-controller'] },
  { name: 'system:controller:root-ca-cert-publisher', to: ['ServiceAccount root-ca-cert-publisher'] },
  { name: 'system:controller:route-controller', to: ['ServiceAccount route-controller'] },
  { name: 'system:controller:service-account-controller', to: ['ServiceAccount service-account-controller'] },
  { name: 'system:controller:service-controller', to: ['ServiceAccount service-controller'] },
  { name: 'system:controller:statefulset-controller', to: ['ServiceAccount statefulset-controller'] },
  { name: 'system:controller:ttl-after-finished-controller', to: ['ServiceAccount ttl-after-finished-controller'] },
  { name: 'system:controller:ttl-controller', to: ['ServiceAccount ttl-controller'] },
  { name: 'system:discovery', to: ['Group system:authenticated'] },
  { name: 'system:kube-controller-manager', to: ['User system:kube-controller-manager'] },
  { name: 'system:kube-dns', to: ['ServiceAccount kube-dns'] },
  { name: 'system:kube-scheduler', to: ['User system:kube-scheduler'] },
  { name: 'system:monitoring', to: ['Group system:monitoring'] },
  { name: 'system:node', to: [] },
  { name: 'system:node-proxier', to: ['User system:kube-proxy'] },
  { name: 'system:public-info-viewer', to: ['Group system:authenticated', 'Group system:unauthenticated'] },
  { name: 'system:service-account-issuer-discovery', to: ['Group system:serviceaccounts'] },
  { name: 'system:volume-scheduler', to: ['User system:kube-scheduler'] },
];

/** The role bindings of a new server. */
export const ROLE_BINDINGS: readonly BindingRow[] = [
  { namespace: '{publicNamespace}', name: 'system:controller:bootstrap-signer', to: ['ServiceAccount bootstrap-signer'] },
  {
    namespace: '{systemNamespace}',
    name: 'system::extension-apiserver-authentication-reader',
    role: 'extension-apiserver-authentication-reader',
    to: ['User system:kube-controller-manager', 'User system:kube-scheduler'],
  },
  {
    namespace: '{systemNamespace}',
    name: 'system::leader-locking-kube-controller-manager',
    to: ['User system:kube-controller-manager', 'ServiceAccount kube-controller-manager'],
  },
  {
    namespace: '{systemNamespace}',
    name: 'system::leader-locking-kube-scheduler',
    to: ['User system:kube-scheduler', 'ServiceAccount kube-scheduler'],
  },
  { namespace: '{systemNamespace}', name: 'system:controller:bootstrap-signer', to: ['ServiceAccount bootstrap-signer'] },
  { namespace: '{systemNamespace}', name: 'system:controller:cloud-provider', to: ['ServiceAccount cloud-provider'] },
  { namespace: '{systemNamespace}', name: 'system:controller:token-cleaner', to: ['ServiceAccount token-cleaner'] },
];

/**
 * Cluster role bindings that older servers had under another name: where only the old one exists, the new one starts with its subjects, labels and
 * annotations, so that access an administrator has revoked does not come back.
 */
export const PREDECESSORS: ReadonlyMap<string, string> = new Map([['system:public-info-viewer', 'system:discovery']]);
