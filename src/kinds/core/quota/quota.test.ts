import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf, type ApiObject } from '#api';
import { formatQuantity } from '#schema';
import { isInQuota } from './scopes.ts';
import { countedBy } from './count-names.ts';
import { quotaUsageOf } from './usage.ts';

const context = { brand: brandOf('orch'), nowMs: Date.parse('2030-01-01T00:00:00Z') };

function usage(plural: string, object: object, group = ''): Record<string, string> {
  const whole = { apiVersion: 'v1', kind: 'X', metadata: {}, ...object } as ApiObject;
  return Object.fromEntries([...quotaUsageOf({ group, plural, object: whole }, context)].map(([name, amount]) => [name, formatQuantity(amount)]));
}

const pod = (spec: object, more: object = {}): object => ({ spec: { containers: [], ...spec }, status: {}, ...more });
const container = (requests: object, limits: object = {}): object => ({ name: 'c', resources: { requests, limits } });

const cases: readonly (readonly [what: string, plural: string, object: object, usage: Record<string, string>, group?: string])[] = [
  ['any kind counts one', 'deployments', {}, { 'count/deployments.apps': '1' }, 'apps'],
  ['some core kinds count by their plain name, too', 'secrets', {}, { secrets: '1', 'count/secrets': '1' }],
  [
    'containers of a pod add up',
    'pods',
    pod({ containers: [container({ cpu: '100m', 'example.com/gpu': '1' }, { memory: '1Gi' }), container({ cpu: '1' })] }),
    { 'count/pods': '1', pods: '1', cpu: '1100m', 'requests.cpu': '1100m', 'requests.example.com/gpu': '1', 'limits.memory': '1Gi' },
  ],
  [
    'a container for the start counts where it takes more; overhead comes on top',
    'pods',
    pod({ containers: [container({ cpu: '1' })], initContainers: [container({ cpu: '3' })], overhead: { cpu: '100m' } }),
    { 'count/pods': '1', pods: '1', cpu: '3100m', 'requests.cpu': '3100m', 'limits.cpu': '100m' },
  ],
  [
    'a container for the start that takes less does not count',
    'pods',
    pod({ containers: [container({ cpu: '2' }), container({ cpu: '2' })], initContainers: [container({ cpu: '3' })] }),
    { 'count/pods': '1', pods: '1', cpu: '4', 'requests.cpu': '4' },
  ],
  [
    'overhead adds to limits, and is one where no container has any',
    'pods',
    pod({ containers: [container({}, { memory: '1Gi' })], overhead: { cpu: '250m', memory: '1Gi' } }),
    { 'count/pods': '1', pods: '1', cpu: '250m', 'requests.cpu': '250m', 'limits.cpu': '250m', memory: '1Gi', 'requests.memory': '1Gi', 'limits.memory': '2Gi' },
  ],
  [
    'pages count as such; what is neither a compute resource nor offered by a driver does not count',
    'pods',
    pod({ containers: [container({ 'hugepages-2Mi': '4Mi', 'orch.io/x': '1' }, { 'hugepages-2Mi': '4Mi', 'example.com/gpu': '1' })] }),
    { 'count/pods': '1', pods: '1', 'hugepages-2Mi': '4Mi', 'requests.hugepages-2Mi': '4Mi' },
  ],
  ['a pod that is over counts as an object only', 'pods', pod({ containers: [container({ cpu: '1' })] }, { status: { phase: 'Failed' } }), { 'count/pods': '1' }],
  ['also one that has done its work', 'pods', pod({}, { status: { phase: 'Succeeded' } }), { 'count/pods': '1' }],
  ['a pod counts to the end of its time of grace', 'pods', pod({}, { metadata: { deletionTimestamp: '2029-12-31T23:59:30Z', deletionGracePeriodSeconds: 30 } }), { 'count/pods': '1', pods: '1' }],
  ['a pod that was promised no end counts on', 'pods', pod({}, { metadata: { deletionTimestamp: '2029-12-31T00:00:00Z' } }), { 'count/pods': '1', pods: '1' }],
  ['so does one that is not being deleted', 'pods', pod({}, { metadata: { deletionGracePeriodSeconds: 30 } }), { 'count/pods': '1', pods: '1' }],
  [
    'a pod whose time of grace has passed counts as an object only',
    'pods',
    pod({ containers: [container({ cpu: '1' })] }, { metadata: { deletionTimestamp: '2029-12-31T23:59:00Z', deletionGracePeriodSeconds: 30 } }),
    { 'count/pods': '1' },
  ],
  [
    'ports of a service on nodes',
    'services',
    { spec: { type: 'LoadBalancer', ports: [{ port: 1 }, { port: 2 }] } },
    { 'count/services': '1', services: '1', 'services.nodeports': '2', 'services.loadbalancers': '1' },
  ],
  [
    'a service without ports on nodes takes none',
    'services',
    { spec: { type: 'ClusterIP', ports: [{ port: 1 }] } },
    { 'count/services': '1', services: '1', 'services.nodeports': '0', 'services.loadbalancers': '0' },
  ],
  [
    'of a service that asks for none on nodes those that it names',
    'services',
    { spec: { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false, ports: [{ port: 1 }, { port: 2, nodePort: 30_001 }] } },
    { 'count/services': '1', services: '1', 'services.nodeports': '1', 'services.loadbalancers': '1' },
  ],
  [
    'a claim counts for its class, too',
    'persistentvolumeclaims',
    { spec: { storageClassName: 'gold', resources: { requests: { storage: '1Gi' } } } },
    {
      'count/persistentvolumeclaims': '1',
      persistentvolumeclaims: '1',
      'gold.storageclass.storage.orch.io/persistentvolumeclaims': '1',
      'requests.storage': '1Gi',
      'gold.storageclass.storage.orch.io/requests.storage': '1Gi',
    },
  ],
  [
    'storage counts in whole bytes',
    'persistentvolumeclaims',
    { spec: { resources: { requests: { storage: '1500m' } } } },
    { 'count/persistentvolumeclaims': '1', persistentvolumeclaims: '1', 'requests.storage': '2' },
  ],
];

for (const [what, plural, object, wanted, group] of cases) test(what, () => assert.deepEqual(usage(plural, object, group), wanted));

const scoped = (spec: object, object: object, plural = 'pods'): boolean =>
  isInQuota({ hard: { pods: '1', services: '1' }, ...spec }, { group: '', plural, object: { apiVersion: 'v1', kind: 'X', metadata: {}, ...object } as ApiObject }, context);

test('a pod counts in a quota when all scopes hold', () => {
  const short = pod({ activeDeadlineSeconds: 0 });
  const important = pod({ priorityClassName: 'high' });
  const beside = (term: object): object => pod({ affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'x', ...term }] } } });
  const priority = (operator: string, ...values: string[]): object => ({ scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator, values }] } });
  assert.equal(scoped({}, short), true);
  assert.equal(scoped({ scopes: ['Terminating'] }, short), true);
  assert.equal(scoped({ scopes: ['NotTerminating'] }, short), false);
  assert.deepEqual(['Terminating', 'NotTerminating'].map((scope) => scoped({ scopes: [scope] }, pod({}))), [false, true]);
  assert.equal(scoped({ scopes: ['Terminating', 'NotBestEffort'] }, short), false);
  assert.equal(scoped({ scopes: ['BestEffort'] }, short), true);
  for (const term of [{ namespaces: ['other'] }, { namespaceSelector: {} }]) assert.equal(scoped({ scopes: ['CrossNamespacePodAffinity'] }, beside(term)), true);
  for (const term of [{}, { namespaces: [] }]) assert.equal(scoped({ scopes: ['CrossNamespacePodAffinity'] }, beside(term)), false);
  const preferring = pod({ affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { topologyKey: 'x', namespaces: ['other'] } }] } } });
  assert.equal(scoped({ scopes: ['CrossNamespacePodAffinity'] }, preferring), true);
  assert.equal(scoped({ scopes: ['CrossNamespacePodAffinity'] }, short), false);
  assert.equal(scoped(priority('In', 'high'), important), true);
  assert.equal(scoped(priority('NotIn', 'high'), important), false);
  assert.equal(scoped(priority('Exists'), short), false);
  assert.equal(scoped(priority('DoesNotExist'), short), true);
  assert.equal(scoped({ scopes: ['constructor'] }, short), false);
});

test('a quota limits pods by what they are, take and may take', () => {
  const limits = (name: string): boolean => scoped({ hard: { [name]: '1' } }, pod({}));
  const compute = ['cpu', 'memory', 'ephemeral-storage'];
  const counted = ['pods', 'count/pods', ...compute, ...compute.flatMap((name) => [`requests.${name}`, `limits.${name}`]), 'hugepages-2Mi', 'requests.hugepages-2Mi', 'requests.example.com/gpu'];
  const others = ['limits.hugepages-2Mi', 'example.com/gpu', 'limits.example.com/gpu', 'requests.orch.io/x', 'requests.storage', 'limits.pods', 'requests.pods', 'services', 'count/services', 'persistentvolumeclaims'];
  assert.deepEqual([...counted, ...others].filter(limits), counted);
});

test('only pods have scopes, and nothing counts that is not limited', () => {
  const service = { spec: { type: 'ClusterIP' } };
  assert.equal(scoped({}, service, 'services'), true);
  assert.equal(scoped({ scopes: ['BestEffort'] }, service, 'services'), false);
  assert.equal(scoped({ hard: { pods: '1' } }, service, 'services'), false);
});

test('the name of a count says what it counts', () => {
  assert.deepEqual(countedBy('count/ingresses.networking.orch.io'), { group: 'networking.orch.io', plural: 'ingresses' });
  assert.deepEqual(countedBy('configmaps'), { group: '', plural: 'configmaps' });
  assert.equal(countedBy('cpu'), undefined);
  assert.equal(countedBy('count/events'), undefined);
  assert.deepEqual(usage('events', {}), {});
  assert.deepEqual(countedBy('count/events.events.orch.io'), { group: 'events.orch.io', plural: 'events' });
});
