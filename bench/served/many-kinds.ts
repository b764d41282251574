const CONTAINERS = { containers: [{ name: 'c', image: 'c' }] };
const template = (restartPolicy: string): object => ({ metadata: { labels: { app: 'a' } }, spec: { ...CONTAINERS, restartPolicy } });
const selector = { matchLabels: { app: 'a' } };
const JOB = { template: template('Never') };
const RULES = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];

/** Group and version, resource, and what an object has beside its metadata. Names are those of the dialect `kubernetes`. */
const KINDS: readonly (readonly [apiVersion: string, resource: string, object: object])[] = [
  ['v1', 'configmaps', { data: { text: 'x'.repeat(400) } }],
  ['v1', 'secrets', { data: {} }],
  ['v1', 'services', { spec: { clusterIP: 'None', ports: [{ port: 80 }] } }],
  ['v1', 'pods', { spec: CONTAINERS }],
  ['v1', 'serviceaccounts', {}],
  ['v1', 'persistentvolumeclaims', { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } }],
  ['v1', 'limitranges', { spec: { limits: [] } }],
  ['v1', 'podtemplates', { template: template('Always') }],
  ['v1', 'replicationcontrollers', { spec: { selector: { app: 'a' }, template: template('Always') } }],
  ['apps/v1', 'deployments', { spec: { selector, template: template('Always') } }],
  ['apps/v1', 'replicasets', { spec: { selector, template: template('Always') } }],
  ['apps/v1', 'daemonsets', { spec: { selector, template: template('Always') } }],
  ['apps/v1', 'controllerrevisions', { revision: 1, data: {} }],
  ['batch/v1', 'jobs', { spec: JOB }],
  ['batch/v1', 'cronjobs', { spec: { schedule: '0 0 * * *', jobTemplate: { spec: JOB } } }],
  ['networking.k8s.io/v1', 'networkpolicies', { spec: { podSelector: {} } }],
  ['rbac.authorization.k8s.io/v1', 'roles', { rules: RULES }],
  ['coordination.k8s.io/v1', 'leases', { spec: {} }],
  ['policy/v1', 'poddisruptionbudgets', { spec: { selector, maxUnavailable: 1 } }],
  ['discovery.k8s.io/v1', 'endpointslices', { addressType: 'IPv4', endpoints: [], ports: [] }],
];

/** Where objects of twenty kinds are made in a namespace, and what is sent; placeholders as in `load.ts`. */
export const manyKinds = (namespace: string): readonly { readonly path: string; readonly body: string }[] =>
  KINDS.map(([apiVersion, resource, object]) => ({
    path: `/${apiVersion.includes('/') ? 'apis' : 'api'}/${apiVersion}/namespaces/${namespace}/${resource}`,
    body: JSON.stringify({ metadata: { name: 'bench-{n}' }, ...object }),
  }));
