import type { RoleRow } from './row.ts';

/**
 * The cluster roles of a new server. `into`: the aggregated role that also gets its rules; `from`: an aggregated role, whose rules come from the
 * roles that name it in `into`.
 * @spec 2.15
 */
export const CLUSTER_ROLES: readonly RoleRow[] = [
  { name: 'admin', from: 'admin', rules: [] },
  {
    name: 'cluster-admin',
    rules: [
      ['*', '*', '*'],
      ['*', '*'],
    ],
  },
  { name: 'edit', into: 'admin', from: 'edit', rules: [] },
  {
    name: 'system:aggregate-to-admin',
    into: 'admin',
    rules: [
      ['create', 'authorization', 'localsubjectaccessreviews'],
      ['create delete deletecollection get list patch update watch', 'rbac', 'rolebindings roles'],
    ],
  },
  {
    name: 'system:aggregate-to-edit',
    into: 'edit',
    rules: [
      ['get list watch', 'core', 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy'],
      ['impersonate', 'core', 'serviceaccounts'],
      ['create delete deletecollection patch update', 'core', 'pods pods/attach pods/exec pods/portforward pods/proxy'],
      [
        'create delete deletecollection patch update',
        'core',
        'configmaps events persistentvolumeclaims replicationcontrollers replicationcontrollers/scale ' +
          'secrets serviceaccounts services services/proxy',
      ],
      [
        'create delete deletecollection patch update',
        'apps',
        'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
      ],
      ['create delete deletecollection patch update', 'autoscaling', 'horizontalpodautoscalers'],
      ['create delete deletecollection patch update', 'batch', 'cronjobs jobs'],
      [
        'create delete deletecollection patch update',
        'extensions',
        'daemonsets deployments deployments/rollback deployments/scale ingresses ' +
          'networkpolicies replicasets replicasets/scale replicationcontrollers/scale',
      ],
      ['create delete deletecollection patch update', 'policy', 'poddisruptionbudgets'],
      ['create delete deletecollection patch update', 'networking', 'ingresses networkpolicies'],
    ],
  },
  {
    name: 'system:aggregate-to-view',
    into: 'view',
    rules: [
      [
        'get list watch',
        'core',
        'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods ' +
          'replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
      ],
      [
        'get list watch',
        'core',
        'bindings events limitranges namespaces/status pods/log ' +
          'pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
      ],
      ['get list watch', 'core', 'namespaces'],
      ['get list watch', 'discovery', 'endpointslices'],
      [
        'get list watch',
        'apps',
        'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status ' +
          'replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
      ],
      ['get list watch', 'autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status'],
      ['get list watch', 'batch', 'cronjobs cronjobs/status jobs jobs/status'],
      [
        'get list watch',
        'extensions',
        'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ' +
          'ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale',
      ],
      ['get list watch', 'policy', 'poddisruptionbudgets poddisruptionbudgets/status'],
      ['get list watch', 'networking', 'ingresses ingresses/status networkpolicies'],
    ],
  },
  {
    name: 'system:auth-delegator',
    rules: [
      ['create', 'authentication', 'tokenreviews'],
      ['create', 'authorization', 'subjectaccessreviews'],
    ],
  },
  { name: 'system:basic-user', rules: [['create', 'authorization', 'selfsubjectaccessreviews selfsubjectrulesreviews']] },
  {
    name: 'system:certificates.{shortDomain}:certificatesigningrequests:nodeclient',
    rules: [
      ['create', 'certificates', 'certificatesigningrequests/nodeclient'],
    ],
  },
  {
    name: 'system:certificates.{shortDomain}:certificatesigningrequests:selfnodeclient',
    rules: [
      ['create', 'certificates', 'certificatesigningrequests/selfnodeclient'],
    ],
  },
  {
    name: 'system:certificates.{shortDomain}:kube-apiserver-client-approver',
    rules: [
      ['approve', 'certificates', 'signers', '{clientSigner}'],
    ],
  },
  {
    name: 'system:certificates.{shortDomain}:kube-apiserver-client-kubelet-approver',
    rules: [
      ['approve', 'certificates', 'signers', '{nodeClientSigner}'],
    ],
  },
  {
    name: 'system:certificates.{shortDomain}:kubelet-serving-approver',
    rules: [
      ['approve', 'certificates', 'signers', '{nodeServingSigner}'],
    ],
  },
  {
    name: 'system:certificates.{shortDomain}:legacy-unknown-approver',
    rules: [
      ['approve', 'certificates', 'signers', '{legacySigner}'],
    ],
  },
  {
    name: 'system:controller:attachdetach-controller',
    rules: [
      ['list watch', 'core', 'persistentvolumeclaims persistentvolumes'],
      ['get list watch', 'core', 'nodes'],
      ['patch update', 'core', 'nodes/status'],
      ['list watch', 'core', 'pods'],
      ['create patch update', 'core events', 'events'],
      ['create delete get list watch', 'storage', 'volumeattachments'],
      ['get list watch', 'storage', 'csidrivers'],
      ['get list watch', 'storage', 'csinodes'],
    ],
  },
  {
    name: 'system:controller:certificate-controller',
    rules: [
      ['delete get list watch', 'certificates', 'certificatesigningrequests'],
      ['update', 'certificates', 'certificatesigningrequests/approval certificatesigningrequests/status'],
      ['approve', 'certificates', 'signers', '{nodeClientSigner}'],
      ['sign', 'certificates', 'signers', '{clientSigner} {nodeClientSigner} {nodeServingSigner} {legacySigner}'],
      ['create', 'authorization', 'subjectaccessreviews'],
      ['create patch update', 'core events', 'events'],
    ],
  },
  {
    name: 'system:controller:clusterrole-aggregation-controller',
    rules: [
      ['escalate get list patch update watch', 'rbac', 'clusterroles'],
    ],
  },
  {
    name: 'system:controller:cronjob-controller',
    rules: [
      ['get list update watch', 'batch', 'cronjobs'],
      ['create delete get list patch update watch', 'batch', 'jobs'],
      ['update', 'batch', 'cronjobs/status'],
      ['update', 'batch', 'cronjobs/finalizers'],
      ['delete list', 'core', 'pods'],
      ['create patch update', 'core events', 'events'],
    ],
  },
  {
    name: 'system:controller:daemon-set-controller',
    rules: [
      ['get list watch', 'apps extensions', 'daemonsets'],
      ['update', 'apps extensions', 'daemonsets/status'],
      ['update', 'apps extensions', 'daemonsets/finalizers'],
      ['list watch', 'core', 'nodes'],
      ['create delete list patch watch', 'core', 'pods'],
      ['create', 'core', 'pods/binding'],
      ['create delete get list patch update watch', 'apps', 'controllerrevisions'],
      ['create patch update', 'core events', 'events'],
    ],
  },
  {
    name: 'system:controller:deployment-controller',
    rules: [
      ['get list update watch', 'apps extensions', 'deployments'],
      ['update', 'apps extensions', 'deployments/status'],
      ['update', 'apps extensions', 'deployments/finalizers'],
      ['create delete get list patch update watch', 'apps extensions', 'replicasets'],
      ['get list update watch', 'core', 'pods'],
      ['create patch update', 'core events', 'events'],
    ],
  },
  {
    name: 'system:controller:disruption-controller',
    rules: [
      ['get list watch', 'apps extensions', 'deployments'],
      ['get list watch', 'apps extensions', 'replicasets'],
      ['get list watch', 'core', 'replicationcontrollers'],
      ['get list watch', 'policy', 'poddisruptionbudgets'],
      ['get list watch', 'apps', 'statefulsets'],
      ['update', 'policy', 'poddisruptionbudgets/status'],
      ['get', '*', '*/scale'],
      ['create patch update', 'core events', 'events'],
    ],
  },
  {
    name: 'system:controller:endpoint-controller',
    rules: [
      ['get list watch', 'core', 'pods services'],
      ['create delete get list update', 'core', 'endpoints'],
      ['create', 'core', 'endpoints/restricted'],
      ['create patch update', 'core events', 'events'],
    ],
  },
  {
    name: 'system:controller:endpointslice-controller',
    rules: [
      ['get list watch', 'core', 'nodes pods services'],
      ['update', 'core', 'services/finalizers'],
      ['create delete get list update', 'discovery', 'endpointslices'],
      ['create patch update', 'core events', 'events'],
    ],
  },
  {
    name: 'system:controller:endpointslicemirroring-controller',
    rules: [
      ['get list watch', 'core', 'endpoints services'],
      ['update', 'core', 'services/finalizers'],
      ['update', 'core', 'endpoints/finalizers'],
      ['create delete get list update', 'discovery', 'endpointslices'],
      ['create patch update', 'core events', 'events'],
    ],
  },
  {
    name: 'system:controller:ephemeral-volume-controller',
    rules: [
      ['get list watch', 'core', 'pods'],
      ['update', 'core', 'pods/finalizers'],
      ['create get list watch', 'core', 'persistentvolumeclaims'],
      ['create patch update', 'core events', 'events'],
    ],
  },
  {
    name: 'system:controller:expand-controller',
    rules: [
      ['get list patch update watch', 'core', 'persistentvolumes'],
      ['patch update', 'core', 'persistentvolumeclaims/status'],
      ['get list watch', 'core', 'persistentvolumeclaims'],
      ['get list watch', 'storage', 'storageclasses'],
      ['get', 'core', 'endpoints services'],
      ['get', 'core', 'secrets'],
      ['create patch update', 'core events', 'events'],
    ],
  },
  {
    name: 'system:controller:generic-garbage-collector',
    rules: [
      ['delete get list patch update watch', '*', '*'],
      ['create patch update', 'core events', 'events'],
    ],
  },
  {
    name: 'system:controller:horizontal-pod-autoscaler',
    rules: [
      ['get list watch', 'autoscaling', 'horizontalpodautoscalers'],
      ['update', 'autoscaling', 'horizontalpodautoscalers/status'],
      ['get update', '*', '*/scale'],
      ['list', 'core', 'pods'],
      ['get', 'core', 'services/proxy', 'http:heapster: https:heapster:'],
      ['list', 'metrics', 'pods'],
      ['get list', 'custom.metrics', '*'],
      ['create patch update', 'core events', 'events'],
    ],
  },
  {
    name: 'system:controller:job-controller',
    rules: [
      ['get list patch update watch', 'batch', 'jobs'],
      ['update', 'batch', 'jobs/status'],
      ['update', 'batch', 'jobs/finalizers'],
      ['create delete list patch watch', 'core', 'pods'],
      ['create patch update', 'core events', 'events'],
    ],
  },
  {
    name: 'system:controller:namespace-controller',
    rules: [
      ['delete get list watch', 'core', 'namespaces'],
      ['update', 'core', 'namespaces/finalize namespaces/status'],
      ['delete deletecollection get list', '*', '*'],
    ],
  },
  {
    name: 'system:controller:node-controller',
    rules: [
      ['delete get list patch update', 'core', 'nodes'],
      ['patch update', 'core', 'nodes/status'],
      ['update', 'core', 'pods/status'],
      ['delete list', 'core', 'pods'],
      ['create patch update', 'core events', 'events'],
    ],
  },
  {
    name: 'system:controller:persistent-volume-binder',
    rules: [
      ['create delete get list update watch', 'core', 'persistentvolumes'],
      ['update', 'core', 'persistentvolumes/status'],
      ['get list update watch', 'core', 'persistentvolumeclaims'],
      ['update', 'core', 'persistentvolumeclaims/status'],
      ['create delete get list watch', 'core', 'pods'],
      ['get list watch', 'storage', 'storageclasses'],
      ['create delete get update', 'core', 'endpoints'],
      ['create delete get', 'core', 'services'],
      ['get', 'core', 'secrets'],
      ['get list', 'core', 'nodes'],
      ['watch', 'core', 'events'],
      ['create patch update', 'core events', 'events'],
    ],
  },
  {
    name: 'system:controller:pod-garbage-collector',
    rules: [
      ['delete list watch', 'core', 'pods'],
      ['get list', 'core', 'nodes'],
    ],
  },
  {
    name: 'system:controller:pv-protection-controller',
    rules: [
      ['get list update watch', 'core', 'persistentvolumes'],
      ['create patch update', 'core events', 'events'],
    ],
  },
  {
    name: 'system:controller:pvc-protection-controller',
    rules: [
      ['get list update watch', 'core', 'persistentvolumeclaims'],
      ['get list watch', 'core', 'pods'],
      ['create patch update', 'core events', 'events'],
    ],
  },
  {
    name: 'system:controller:replicaset-controller',
    rules: [
      ['get list update watch', 'apps extensions', 'replicasets'],
      ['update', 'apps extensions', 'replicasets/status'],
      ['update', 'apps extensions', 'replicasets/finalizers'],
      ['create delete list patch watch', 'core', 'pods'],
      ['create patch update', 'core events', 'events'],
    ],
  },
  {
    name: 'system:controller:replication-controller',
    rules: [
      ['get list update watch', 'core', 'replicationcontrollers'],
      ['update', 'core', 'replicationcontrollers/status'],
      ['update', 'core', 'replicationcontrollers/finalizers'],
      ['create delete list patch watch', 'core', 'pods'],
      ['create patch update', 'core events', 'events'],
    ],
  },
  {
    name: 'system:controller:resourcequota-controller',
    rules: [
      ['list watch', '*', '*'],
      ['update', 'core', 'resourcequotas/status'],
      ['create patch update', 'core events', 'events'],
    ],
  },
  {
    name: 'system:controller:root-ca-cert-publisher',
    rules: [
      ['create update', 'core', 'configmaps'],
      ['create patch update', 'core events', 'events'],
    ],
  },
  {
    name: 'system:controller:route-controller',
    rules: [
      ['list watch', 'core', 'nodes'],
      ['patch', 'core', 'nodes/status'],
      ['create patch update', 'core events', 'events'],
    ],
  },
  {
    name: 'system:controller:service-account-controller',
    rules: [
      ['create', 'core', 'serviceaccounts'],
      ['create patch update', 'core events', 'events'],
    ],
  },
  {
    name: 'system:controller:service-controller',
    rules: [
      ['get list watch', 'core', 'services'],
      ['patch update', 'core', 'services/status'],
      ['list watch', 'core', 'nodes'],
      ['create patch update', 'core events', 'events'],
    ],
  },
  {
    name: 'system:controller:statefulset-controller',
    rules: [
      ['list watch', 'core', 'pods'],
      ['get list watch', 'apps', 'statefulsets'],
      ['update', 'apps', 'statefulsets/status'],
      ['update', 'apps', 'statefulsets/finalizers'],
      ['create delete get patch update', 'core', 'pods'],
      ['create delete get list patch update watch', 'apps', 'controllerrevisions'],
      ['create get', 'core', 'persistentvolumeclaims'],
      ['create patch update', 'core events', 'events'],
    ],
  },
  {
    name: 'system:controller:ttl-after-finished-controller',
    rules: [
      ['delete get list watch', 'batch', 'jobs'],
      ['create patch update', 'core events', 'events'],
    ],
  },
  {
    name: 'system:controller:ttl-controller',
    rules: [
      ['list patch update watch', 'core', 'nodes'],
      ['create patch update', 'core events', 'events'],
    ],
  },
  {
    name: 'system:discovery',
    rules: [
      ['get', '/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/'],
    ],
  },
  {
    name: 'system:heapster',
    rules: [
      ['get list watch', 'core', 'events namespaces nodes pods'],
      ['get list watch', 'extensions', 'deployments'],
    ],
  },
  { name: 'system:kube-aggregator', rules: [['get list watch', 'core', 'endpoints services']] },
  {
    name: 'system:kube-controller-manager',
    rules: [
      ['create patch update', 'core events', 'events'],
      ['create', 'coordination', 'leases'],
      ['get update', 'coordination', 'leases', 'kube-controller-manager'],
      ['create', 'core', 'endpoints'],
      ['get update', 'core', 'endpoints', 'kube-controller-manager'],
      ['create', 'core', 'secrets serviceaccounts'],
      ['delete', 'core', 'secrets'],
      ['get', 'core', 'configmaps namespaces secrets serviceaccounts'],
      ['update', 'core', 'secrets serviceaccounts'],
      ['create', 'authentication', 'tokenreviews'],
      ['create', 'authorization', 'subjectaccessreviews'],
      ['list watch', '*', '*'],
      ['create', 'core', 'serviceaccounts/token'],
    ],
  },
  { name: 'system:kube-dns', rules: [['list watch', 'core', 'endpoints services']] },
  {
    name: 'system:kube-scheduler',
    rules: [
      ['create patch update', 'core events', 'events'],
      ['create', 'coordination', 'leases'],
      ['get update', 'coordination', 'leases', 'kube-scheduler'],
      ['create', 'core', 'endpoints'],
      ['get update', 'core', 'endpoints', 'kube-scheduler'],
      ['get list watch', 'core', 'nodes'],
      ['delete get list watch', 'core', 'pods'],
      ['create', 'core', 'bindings pods/binding'],
      ['patch update', 'core', 'pods/status'],
      ['get list watch', 'core', 'replicationcontrollers services'],
      ['get list watch', 'apps extensions', 'replicasets'],
      ['get list watch', 'apps', 'statefulsets'],
      ['get list watch', 'policy', 'poddisruptionbudgets'],
      ['get list watch', 'core', 'persistentvolumeclaims persistentvolumes'],
      ['create', 'authentication', 'tokenreviews'],
      ['create', 'authorization', 'subjectaccessreviews'],
      ['get list watch', 'storage', 'csinodes'],
      ['get list watch', 'core', 'namespaces'],
      ['get list watch', 'storage', 'csidrivers'],
      ['get list watch', 'storage', 'csistoragecapacities'],
    ],
  },
  {
    name: 'system:kubelet-api-admin',
    rules: [
      ['get list watch', 'core', 'nodes'],
      ['proxy', 'core', 'nodes'],
      ['*', 'core', 'nodes/log nodes/metrics nodes/proxy nodes/spec nodes/stats'],
    ],
  },
  { name: 'system:monitoring', rules: [['get', '/healthz /healthz/* /livez /livez/* /metrics /readyz /readyz/*']] },
  {
    name: 'system:node',
    rules: [
      ['create', 'authentication', 'tokenreviews'],
      ['create', 'authorization', 'localsubjectaccessreviews subjectaccessreviews'],
      ['get list watch', 'core', 'services'],
      ['create get list watch', 'core', 'nodes'],
      ['patch update', 'core', 'nodes/status'],
      ['patch update', 'core', 'nodes'],
      ['create patch update', 'core', 'events'],
      ['get list watch', 'core', 'pods'],
      ['create delete', 'core', 'pods'],
      ['patch update', 'core', 'pods/status'],
      ['create', 'core', 'pods/eviction'],
      ['get list watch', 'core', 'configmaps secrets'],
      ['get', 'core', 'persistentvolumeclaims persistentvolumes'],
      ['get', 'core', 'endpoints'],
      ['create get list watch', 'certificates', 'certificatesigningrequests'],
      ['create delete get patch update', 'coordination', 'leases'],
      ['get', 'storage', 'volumeattachments'],
      ['create', 'core', 'serviceaccounts/token'],
      ['get patch update', 'core', 'persistentvolumeclaims/status'],
      ['get list watch', 'storage', 'csidrivers'],
      ['create delete get patch update', 'storage', 'csinodes'],
      ['get list watch', 'node', 'runtimeclasses'],
    ],
  },
  { name: 'system:node-bootstrapper', rules: [['create get list watch', 'certificates', 'certificatesigningrequests']] },
  {
    name: 'system:node-problem-detector',
    rules: [
      ['get', 'core', 'nodes'],
      ['patch', 'core', 'nodes/status'],
      ['create patch update', 'core events', 'events'],
    ],
  },
  {
    name: 'system:node-proxier',
    rules: [
      ['list watch', 'core', 'endpoints services'],
      ['get list watch', 'core', 'nodes'],
      ['create patch update', 'core events', 'events'],
      ['list watch', 'discovery', 'endpointslices'],
    ],
  },
  {
    name: 'system:persistent-volume-provisioner',
    rules: [
      ['create delete get list watch', 'core', 'persistentvolumes'],
      ['get list update watch', 'core', 'persistentvolumeclaims'],
      ['get list watch', 'storage', 'storageclasses'],
      ['watch', 'core', 'events'],
      ['create patch update', 'core events', 'events'],
    ],
  },
  { name: 'system:public-info-viewer', rules: [['get', '/healthz /livez /readyz /version /version/']] },
  { name: 'system:service-account-issuer-discovery', rules: [['get', '/.well-known/openid-configuration /openid/v1/jwks']] },
  {
    name: 'system:volume-scheduler',
    rules: [
      ['get list patch update watch', 'core', 'persistentvolumes'],
      ['get list watch', 'storage', 'storageclasses'],
      ['get list patch update watch', 'core', 'persistentvolumeclaims'],
    ],
  },
  { name: 'view', into: 'edit', from: 'view', rules: [] },
];
