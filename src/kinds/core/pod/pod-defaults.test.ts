import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container } from './container.ts';
import { fillPodOnly } from './fill-pod-spec.ts';
import { tagOf } from './image-name.ts';
import { container, templateOf } from './test-support.ts';

const firstOf = (more: object, spec: object = {}): Container => {
  const [first] = templateOf({ ...spec, containers: [container(more)] }).spec.containers ?? [];
  assert.ok(first);
  return first;
};

test('R2.10-35 pod template: what a spec gets that says nothing', () => {
  assert.deepEqual(templateOf({}).spec, {
    containers: [
      {
        name: 'c',
        image: 'img:1',
        resources: {},
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        imagePullPolicy: 'IfNotPresent',
      },
    ],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
  });
});

const images: readonly (readonly [image: string, tag: string])[] = [
  ['nginx', 'latest'],
  ['nginx:latest', 'latest'],
  ['nginx:1.2', '1.2'],
  ['host:5000/a/b', 'latest'],
  ['host:5000/a/b:x', 'x'],
  ['Upper', ''],
  ['Upper/a', ''],
  ['Upper.io/a', 'latest'],
  ['Upper:5000/a', 'latest'],
  ['Localhost/a', ''],
  ['localhost/a', 'latest'],
  ['a__b/c-d', 'latest'],
  ['a___b', ''],
  ['', ''],
  [' ', ''],
  ['a'.repeat(256), ''],
  ['a'.repeat(237), 'latest'],
  ['a'.repeat(238), ''],
  [`a/${'a'.repeat(244)}`, ''],
  [`a.b/${'a'.repeat(251)}`, 'latest'],
  ['a'.repeat(64), ''],
  [`nginx@sha256:${'0'.repeat(64)}`, ''],
  [`nginx:latest@sha256:${'0'.repeat(64)}`, 'latest'],
  [`nginx:latest@sha512:${'0'.repeat(128)}`, 'latest'],
  // Digests that are none leave no name.
  [`nginx:latest@sha256:${'0'.repeat(63)}`, ''],
  [`nginx:latest@sha256:${'A'.repeat(64)}`, ''],
  [`nginx:latest@md5:${'0'.repeat(32)}`, ''],
];

test('images are pulled each time when their tag is `latest`, said or meant', () => {
  for (const [image, tag] of images) {
    assert.equal(tagOf(image), tag, image);
    assert.equal(firstOf({ image }).imagePullPolicy, tag === 'latest' ? 'Always' : 'IfNotPresent', image);
  }
  assert.equal(firstOf({ image: 'nginx', imagePullPolicy: 'Never' }).imagePullPolicy, 'Never');
});

test('a long text that is nearly an image name is refused in no time', () => {
  const start = performance.now();
  assert.equal(tagOf(`${'a-'.repeat(500)}!`), '');
  assert.ok(performance.now() - start < 1_000);
});

test('probes, ports and sources of the environment', () => {
  const { livenessProbe, ports, env, lifecycle } = firstOf({
    livenessProbe: { httpGet: { port: 80 }, terminationGracePeriodSeconds: 5 },
    ports: [{ containerPort: 80 }],
    env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
    lifecycle: { preStop: { httpGet: { port: 1 } } },
  });
  assert.deepEqual(livenessProbe, {
    httpGet: { path: '/', port: 80, scheme: 'HTTP' },
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
  });
  assert.deepEqual(ports, [{ containerPort: 80, protocol: 'TCP' }]);
  assert.deepEqual(env, [{ name: 'A', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } }]);
  assert.deepEqual(lifecycle, { preStop: { httpGet: { path: '/', port: 1, scheme: 'HTTP' } } });
});

test('in the network of the node, ports are those of the node', () => {
  assert.deepEqual(firstOf({ ports: [{ containerPort: 80 }] }, { hostNetwork: true }).ports, [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }]);
  assert.deepEqual(firstOf({ ports: [{ name: 'none' }] }, { hostNetwork: true }).ports, [{ name: 'none', containerPort: 0, protocol: 'TCP' }]);
});

test('both names of the service account say the same, the newer one first', () => {
  const of = (spec: object): readonly unknown[] => {
    const { serviceAccountName, serviceAccount } = templateOf(spec).spec;
    return [serviceAccountName, serviceAccount];
  };
  assert.deepEqual(of({ serviceAccount: 'a' }), ['a', 'a']);
  assert.deepEqual(of({ serviceAccountName: 'a', serviceAccount: 'b' }), ['a', 'a']);
  assert.deepEqual(of({}), [undefined, undefined]);
});

test('amounts are kept to a thousandth', () => {
  assert.deepEqual(firstOf({ resources: { limits: { cpu: '0.00001', memory: '1Gi' } } }).resources, { limits: { cpu: '1m', memory: '1Gi' } });
});

test('pods, not templates, ask for what they may have at most', () => {
  const { spec } = templateOf({ containers: [container({ resources: { limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '1' } } })] });
  assert.equal(spec.enableServiceLinks, undefined);
  fillPodOnly(spec);
  assert.equal(spec.enableServiceLinks, true);
  assert.deepEqual(spec.containers?.[0]?.resources.requests, { cpu: '1', memory: '1Gi' });
});

test('volumes: an empty folder unless they say what they are; permissions of files', () => {
  const volumes = [
    { name: 'a' },
    { name: 'b', secret: { secretName: 's' } },
    { name: 'c', hostPath: { path: '/x' } },
    { name: 'd', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
    { name: 'e', ephemeral: { volumeClaimTemplate: { spec: {} } } },
  ];
  const { metadata: _, ...claim } = templateOf({ volumes }).spec.volumes?.[4]?.ephemeral?.volumeClaimTemplate ?? { metadata: {} };
  assert.deepEqual(claim, { spec: { resources: {}, volumeMode: 'Filesystem' } });
  assert.deepEqual(templateOf({ volumes: volumes.slice(0, 4) }).spec.volumes, [
    { name: 'a', emptyDir: {} },
    { name: 'b', secret: { secretName: 's', defaultMode: 420 } },
    { name: 'c', hostPath: { path: '/x', type: '' } },
    { name: 'd', projected: { sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 3600 } }], defaultMode: 420 } },
  ]);
});
