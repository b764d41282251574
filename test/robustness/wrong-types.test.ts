import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { brandOf } from '#api';
import { KINDS, objectOf, prefixOf } from '../spec/kinds.table.ts';
import { bounded, brokenInto, doneOrRefused } from './judge.ts';

const server = brokenInto();
const brand = brandOf('orch');

/** Objects with something in most corners. */
const FULL: Readonly<Record<string, object>> = {
  Deployment: {
    spec: {
      replicas: 2, paused: false, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 1 } }, selector: { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] },
      template: {
        metadata: { labels: { a: 'b' }, annotations: { x: 'y' } },
        spec: {
          initContainers: [{ name: 'i', image: 'i:1', command: ['a'] }],
          containers: [{
            name: 'c', image: 'i:1', args: ['x'], env: [{ name: 'A', value: 'b' }, { name: 'B', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }], ports: [{ containerPort: 80, protocol: 'TCP' }],
            resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '100m' } }, livenessProbe: { httpGet: { path: '/', port: 80 } }, volumeMounts: [{ name: 'v', mountPath: '/v' }],
            securityContext: { runAsUser: 1, capabilities: { add: ['A'] } },
          }],
          volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Gi' } }, { name: 'w', projected: { sources: [{ secret: { name: 's' } }] } }],
          affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }] } } },
          tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }], securityContext: { fsGroup: 1, sysctls: [{ name: 'a', value: 'b' }] }, nodeSelector: { a: 'b' }, hostAliases: [{ ip: '1.2.3.4', hostnames: ['a'] }],
          topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: { a: 'b' } } }], dnsConfig: { nameservers: ['1.1.1.1'], options: [{ name: 'a' }] },
        },
      },
    },
    status: { replicas: 1, conditions: [{ type: 'A', status: 'True', lastTransitionTime: '2020-01-01T00:00:00Z' }] },
  },
  NetworkPolicy: {
    spec: {
      podSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }, policyTypes: ['Ingress', 'Egress'],
      ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }], ports: [{ port: 1, endPort: 2, protocol: 'TCP' }] }], egress: [{ to: [{ namespaceSelector: {} }] }],
    },
  },
  Secret: { type: 'Opaque', data: { a: 'MQ==' }, stringData: { b: 'c' }, immutable: false },
  Lease: { spec: { holderIdentity: 'a', leaseDurationSeconds: 5, acquireTime: '2020-01-01T00:00:00.000001Z', renewTime: '2020-01-01T00:00:00.000001Z', leaseTransitions: 1 } },
  ServiceAccount: { secrets: [{ name: 's', kind: 'Secret' }], imagePullSecrets: [{ name: 'i' }], automountServiceAccountToken: true },
  Namespace: { spec: { finalizers: ['a.b/c'] }, status: { phase: 'Active', conditions: [{ type: 'A', status: 'True' }] } },
  ConfigMap: { data: { a: 'b' }, binaryData: { c: 'MQ==' }, immutable: false },
};

const metadata = (name: string): object => ({
  name, labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['a.b/c'], ownerReferences: [{ apiVersion: 'v1', kind: 'K', name: 'n', uid: 'u', controller: true }],
  managedFields: [{ manager: 'm', operation: 'Update', apiVersion: 'v1', time: '2020-01-01T00:00:00Z', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': { 'f:a': {} } } }],
});

type Path = readonly (string | number)[];

/** Every place in a value, from the outside in. */
function placesIn(value: unknown, at: Path = []): Path[] {
  const own: Path[] = at.length === 0 ? [] : [at];
  if (typeof value !== 'object' || value === null) return own;
  const entries: [string | number, unknown][] = Array.isArray(value) ? value.map((one, index) => [index, one]) : Object.entries(value);
  return [...own, ...entries.flatMap(([key, one]) => placesIn(one, [...at, key]))];
}

function withValue(object: object, path: Path, value: unknown): object {
  const copy = structuredClone(object);
  const parent = path.slice(0, -1).reduce<object>((one, key) => Reflect.get(one, key) as object, copy);
  Reflect.set(parent, path.at(-1) ?? '', value);
  return copy;
}

const WRONG: readonly unknown[] = [
  null, true, false, 0, -1, 1.5, 2 ** 31, 2 ** 53, '', 'x', '-1', ' ', '\u0000', 'x'.repeat(300), [], [null], [[]], [1], ['x', 'x'], {}, { x: null }, { '': '' }, { x: { x: {} } }, [{}, {}], '99999999999999999999Gi', '%', 'é', '2020-13-45T99:99:99Z', '===',
];

for (const row of KINDS) {
  test(`${row.kind}: any value in any place is done or refused, by create, update and every patch`, async () => {
    const collection = `${prefixOf(brand, row)}${row.isNamespaced ? '/namespaces/default' : ''}/${row.plural}`;
    const body = FULL[row.kind] ?? (row.kind === 'DaemonSet' ? { spec: { ...Reflect.get(FULL['Deployment'] ?? {}, 'spec') as object, replicas: undefined, strategy: undefined, paused: undefined } } : row.body);
    const valid = JSON.parse(JSON.stringify(objectOf(brand, row, metadata('valid'), body))) as object;
    const made = await server().request('POST', collection, valid);
    assert.equal(made.status, 201, made.text);
    const places = placesIn(valid);
    const outcomes = new Set<boolean>();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), fc.oneof(fc.constantFrom(...WRONG), fc.jsonValue({ maxDepth: 2 })), fc.boolean(), async (place, value, also) => {
        const other = withValue(withValue(valid, ['metadata', 'name'], `n-${(count += 1)}`), place, value);
        const changed = withValue(valid, place, value);
        const item = `${collection}/valid`;
        const created = await server().request('POST', `${collection}?dryRun=All`, other);
        doneOrRefused(created);
        outcomes.add(created.status === 201);
        doneOrRefused(await server().request('PUT', item, changed));
        doneOrRefused(await server().patch('merge', item, changed));
        const pointer = `/${place.map((key) => String(key).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`;
        doneOrRefused(await server().patch('json', item, [{ op: also ? 'add' : 'replace', path: pointer, value: value ?? null }]));
        // Two failures of a patch are the server's in Kubernetes too: items without their key, and fields the schema does not have.
        doneOrRefused(await server().patch('strategic', item, changed), [500]);
        const isManaged = place[0] === 'metadata' && place[1] === 'managedFields';
        // Apply takes no object with managed fields, whatever else it has.
        const applied = isManaged ? changed : withValue(withValue(valid, ['metadata', 'managedFields'], undefined), place, value);
        doneOrRefused(await server().patch('apply', `${item}?fieldManager=f&force=true`, applied), [500]);
      }),
      bounded(row.kind === 'Deployment' ? 250 : 120),
    );
    assert.equal(outcomes.size, 2, 'some of the objects are to be good and some bad, or nothing was tried');
  });
}

let count = 0;
