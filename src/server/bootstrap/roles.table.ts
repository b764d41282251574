import type { RoleRow } from './row.ts';

/** The namespaced roles of a new server. @spec 2.15 */
export const ROLES: readonly RoleRow[] = [
  {
    namespace: '{publicNamespace}', name: 'system:controller:bootstrap-signer',
    rules: [
      ['get list watch', 'core', 'configmaps'],
      ['update', 'core', 'configmaps', 'cluster-info'],
      ['create patch update', 'core events', 'events'],
    ],
  },
  {
    namespace: '{systemNamespace}', name: 'extension-apiserver-authentication-reader',
    rules: [
      ['get list watch', 'core', 'configmaps', 'extension-apiserver-authentication'],
    ],
  },
  {
    namespace: '{systemNamespace}', name: 'system::leader-locking-kube-controller-manager',
    rules: [
      ['watch', 'core', 'configmaps'],
      ['get update', 'core', 'configmaps', 'kube-controller-manager'],
    ],
  },
  {
    namespace: '{systemNamespace}', name: 'system::leader-locking-kube-scheduler',
    rules: [
      ['watch', 'core', 'configmaps'],
      ['get update', 'core', 'configmaps', 'kube-scheduler'],
    ],
  },
  { namespace: '{systemNamespace}', name: 'system:controller:bootstrap-signer', rules: [['get list watch', 'core', 'secrets']] },
  {
    namespace: '{systemNamespace}', name: 'system:controller:cloud-provider',
    rules: [
      ['create get list watch', 'core', 'configmaps'],
    ],
  },
  {
    namespace: '{systemNamespace}', name: 'system:controller:token-cleaner',
    rules: [
      ['delete get list watch', 'core', 'secrets'],
      ['create patch update', 'core events', 'events'],
    ],
  },
];
