// The kinds the client suites go through: an object of each, and what a client must be able to see of it.

export interface ClientKind {
  readonly resource: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  readonly shortName?: string;
  /** Everything but apiVersion, kind and metadata. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Column titles of `get`, and those that `-o wide` adds. */
  readonly columns: readonly string[];
  readonly wide?: readonly string[];
  /** A merge patch and what `-o jsonpath` shows before and after it. */
  readonly change: { readonly path: string; readonly before: string; readonly patch: unknown; readonly after: string };
  /** A field and a word that `explain` prints about it. */
  readonly explain: { readonly field: string; readonly prints: RegExp };
  /** A line that `describe` prints. */
  readonly describe: RegExp;
}

const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image: 'registry.example/web:1', env: [{ name: 'A', value: 'one' }] }] },
};
const workload = { selector: { matchLabels: { app: 'web' } }, template };

export const clientKinds: readonly ClientKind[] = [
  {
    resource: 'configmaps', apiVersion: 'v1', kind: 'ConfigMap', isNamespaced: true, shortName: 'cm',
    body: { data: { text: 'before' } },
    columns: ['NAME', 'DATA', 'AGE'],
    change: { path: '{.data.text}', before: 'before', patch: { data: { text: 'patched' } }, after: 'patched' },
    explain: { field: 'configmap.data', prints: /map/ },
    describe: /^text:/m,
  },
  {
    resource: 'secrets', apiVersion: 'v1', kind: 'Secret', isNamespaced: true,
    body: { type: 'Opaque', data: { key: 'YmVmb3Jl' } },
    columns: ['NAME', 'TYPE', 'DATA', 'AGE'],
    change: { path: '{.data.key}', before: 'YmVmb3Jl', patch: { stringData: { key: 'after' } }, after: 'YWZ0ZXI=' },
    explain: { field: 'secret.stringData', prints: /map/ },
    describe: /^key:\s+6 bytes/m,
  },
  {
    resource: 'serviceaccounts', apiVersion: 'v1', kind: 'ServiceAccount', isNamespaced: true, shortName: 'sa',
    body: { automountServiceAccountToken: true },
    columns: ['NAME', 'SECRETS', 'AGE'],
    change: { path: '{.automountServiceAccountToken}', before: 'true', patch: { automountServiceAccountToken: false }, after: 'false' },
    explain: { field: 'serviceaccount.automountServiceAccountToken', prints: /boolean/ },
    describe: /^Image pull secrets:/m,
  },
  {
    resource: 'priorityclasses', apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', isNamespaced: false, shortName: 'pc',
    body: { value: 7, description: 'before' },
    columns: ['NAME', 'VALUE', 'GLOBAL-DEFAULT', 'AGE'],
    change: { path: '{.description}', before: 'before', patch: { description: 'patched' }, after: 'patched' },
    explain: { field: 'priorityclass.value', prints: /integer/ },
    describe: /^Value:\s+7$/m,
  },
  {
    resource: 'leases', apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', isNamespaced: true,
    body: { spec: { holderIdentity: 'before', leaseDurationSeconds: 15, renewTime: '2022-01-02T03:04:05.678901Z' } },
    columns: ['NAME', 'HOLDER', 'AGE'],
    change: { path: '{.spec.holderIdentity}', before: 'before', patch: { spec: { holderIdentity: 'patched' } }, after: 'patched' },
    explain: { field: 'lease.spec.holderIdentity', prints: /string/ },
    describe: /Holder Identity:\s+before/,
  },
  {
    resource: 'deployments', apiVersion: 'apps/v1', kind: 'Deployment', isNamespaced: true, shortName: 'deploy',
    body: { spec: { replicas: 2, ...workload } },
    columns: ['NAME', 'READY', 'UP-TO-DATE', 'AVAILABLE', 'AGE'],
    wide: ['CONTAINERS', 'IMAGES', 'SELECTOR'],
    change: { path: '{.spec.replicas}', before: '2', patch: { spec: { replicas: 3 } }, after: '3' },
    explain: { field: 'deployment.spec.template.spec.containers.image', prints: /string/ },
    describe: /^Replicas:\s+2 desired/m,
  },
  {
    resource: 'daemonsets', apiVersion: 'apps/v1', kind: 'DaemonSet', isNamespaced: true, shortName: 'ds',
    body: { spec: workload },
    columns: ['NAME', 'DESIRED', 'CURRENT', 'READY', 'UP-TO-DATE', 'AVAILABLE', 'NODE SELECTOR', 'AGE'],
    wide: ['CONTAINERS', 'IMAGES', 'SELECTOR'],
    change: { path: '{.spec.minReadySeconds}', before: '', patch: { spec: { minReadySeconds: 4 } }, after: '4' },
    explain: { field: 'daemonset.spec.updateStrategy.type', prints: /string/ },
    describe: /^Selector:\s+app=web/m,
  },
  {
    resource: 'networkpolicies', apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', isNamespaced: true, shortName: 'netpol',
    body: { spec: { podSelector: { matchLabels: { app: 'web' } }, policyTypes: ['Ingress'], ingress: [{ ports: [{ port: 80, protocol: 'TCP' }] }] } },
    columns: ['NAME', 'POD-SELECTOR', 'AGE'],
    change: { path: '{.spec.podSelector.matchLabels.app}', before: 'web', patch: { spec: { podSelector: { matchLabels: { app: 'api' } } } }, after: 'api' },
    explain: { field: 'networkpolicy.spec.podSelector', prints: /Object|LabelSelector/ },
    describe: /PodSelector:\s+app=web/,
  },
  {
    resource: 'namespaces', apiVersion: 'v1', kind: 'Namespace', isNamespaced: false, shortName: 'ns',
    body: {},
    columns: ['NAME', 'STATUS', 'AGE'],
    change: { path: '{.metadata.annotations.note}', before: '', patch: { metadata: { annotations: { note: 'patched' } } }, after: 'patched' },
    explain: { field: 'namespace.spec.finalizers', prints: /\[\]string/ },
    describe: /^Status:\s+Active/m,
  },
];
