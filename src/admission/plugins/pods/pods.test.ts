import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf, type ApiObject } from '#api';
import { admit, make, pod, refused } from '../../test-support.ts';
import { defaultTolerationSeconds } from './default-toleration-seconds.ts';
import { priority } from './priority.ts';
import { serviceAccount } from './service-account/index.ts';

const brand = brandOf('orch');

test('R4.11-40 R4.11-41 DefaultTolerationSeconds: five minutes on a node that is not there, unless the pod says', async () => {
  const of = (state: string): object => ({ key: `node.orch.io/${state}`, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 });
  const own = { key: 'node.orch.io/not-ready', operator: 'Exists', tolerationSeconds: 5 };
  const rows: readonly (readonly [said: object[] | undefined, result: object[]])[] = [
    [undefined, [of('not-ready'), of('unreachable')]],
    [[own], [own, of('unreachable')]],
    [[{ operator: 'Exists' }], [{ operator: 'Exists' }]],
    [[{ ...own, effect: 'NoExecute' }], [{ ...own, effect: 'NoExecute' }, of('unreachable')]],
    [[{ ...own, effect: 'NoSchedule' }], [{ ...own, effect: 'NoSchedule' }, of('not-ready'), of('unreachable')]],
  ];
  for (const [tolerations, result] of rows) {
    for (const setting of [{}, { live: pod() }]) assert.deepEqual((await admit(defaultTolerationSeconds, pod({ tolerations }), setting)).spec.tolerations, result);
  }
});

const priorityClass = (name: string, value: number, more: object = {}): ApiObject =>
  make('PriorityClass', name, { value, preemptionPolicy: 'PreemptLowerPriority', ...more });

test('R2.11-02 R2.11-05 Priority: pods get the number and the policy of their class', async () => {
  const high = priorityClass('high', 10, { preemptionPolicy: 'Never' });
  const low = priorityClass('low', 3, { globalDefault: true });
  const middle = priorityClass('middle', 5, { globalDefault: true });
  const rows: readonly (readonly [spec: object, known: ApiObject[], name: string | undefined, value: number, policy: string])[] = [
    [{}, [high], undefined, 0, 'PreemptLowerPriority'],
    [{ priorityClassName: 'high', priority: 10, preemptionPolicy: 'Never' }, [high], 'high', 10, 'Never'],
    [{}, [middle, low, high], 'low', 3, 'PreemptLowerPriority'],
  ];
  for (const [spec, known, ...result] of rows) {
    const next = (await admit(priority, pod(spec), { known })).spec;
    assert.deepEqual([next.priorityClassName, next.priority, next.preemptionPolicy], result);
  }
  await assert.rejects(admit(priority, pod({ priorityClassName: 'none' })), refused('no PriorityClass with name none was found'));
  await assert.rejects(admit(priority, pod({ priority: 1 })), refused('the integer value of priority (1)'));
  await assert.rejects(admit(priority, pod({ preemptionPolicy: 'Never' })), refused('PreemptionPolicy (Never)'));
});

test('Priority: an update that leaves out what was filled in keeps it', async () => {
  const live = pod({ priority: 7, preemptionPolicy: 'Never' });
  const next = await admit(priority, pod({ preemptionPolicy: 'PreemptLowerPriority' }), { live });
  assert.deepEqual([next.spec.priority, next.spec.preemptionPolicy], [7, 'PreemptLowerPriority']);
  assert.equal((await admit(priority, pod({ priority: 3 }), { live })).spec.priority, 3, 'to be refused as a change');
  assert.deepEqual((await admit(priority, pod(), { live: pod() })).spec, pod().spec);
  const unset = await admit(priority, pod({ priority: 3, preemptionPolicy: 'Never' }), { live: pod() });
  assert.deepEqual([unset.spec.priority, unset.spec.preemptionPolicy], [3, 'Never']);
  const bare = await admit(priority, pod(), { live });
  assert.deepEqual([bare.spec.priority, bare.spec.preemptionPolicy], [7, 'Never']);
});

test('Priority: a class that says nothing of preemption leaves it to the pod', async () => {
  const known = [make('PriorityClass', 'quiet', { value: 4 })];
  const [said, unsaid] = [pod({ priorityClassName: 'quiet', preemptionPolicy: 'Never' }), pod({ priorityClassName: 'quiet' })];
  assert.deepEqual([(await admit(priority, said, { known })).spec.preemptionPolicy, (await admit(priority, unsaid, { known })).spec.preemptionPolicy], ['Never', undefined]);
});

test('Priority: one class for pods without one', async () => {
  const known = [priorityClass('a', 1, { globalDefault: true })];
  await assert.rejects(admit(priority, priorityClass('b', 2, { globalDefault: true }), { known }), refused('a is already marked as default'));
  await admit(priority, priorityClass('b', 2), { known });
  await admit(priority, priorityClass('b', 2, { globalDefault: true }), { known: [priorityClass('a', 1)] });
  const other = priorityClass('b', 2);
  await assert.rejects(admit(priority, priorityClass('b', 2, { globalDefault: true }), { known: [...known, other], live: other }), refused('a is already marked as default'));
  await admit(priority, priorityClass('a', 1, { globalDefault: true }), { known, live: known[0] as ApiObject });
});

const account = (more: object = {}, metadata: object = {}, name = 'default'): ApiObject => make('ServiceAccount', name, more, metadata);

test('R5.9-04 R5.9-05 ServiceAccount: a pod runs under an account that exists', async () => {
  const next = await admit(serviceAccount, pod(), { known: [account()] });
  assert.deepEqual([next.spec.serviceAccountName, next.spec.serviceAccount], ['default', 'default']);
  await assert.rejects(admit(serviceAccount, pod({ serviceAccountName: 'x' }), { known: [account()] }), refused('serviceaccount "x" not found'));
});

test('R5.9-06 R5.9-17 ServiceAccount: every container finds a token, a certificate and the namespace', async () => {
  const path = brand.names.serviceAccountMount;
  const elsewhere = { name: 'x', mountPath: path };
  const own = { name: 'y', mountPath: '/y' };
  const spec = { containers: [{ name: 'c', volumeMounts: [own] }, { name: 'd', volumeMounts: [elsewhere] }], initContainers: [{ name: 'i' }] };
  const next = (await admit(serviceAccount, pod(spec), { known: [account()] })).spec as { volumes: { name: string; projected: { sources: object[] } }[]; containers: { volumeMounts: object[] }[]; initContainers: { volumeMounts: object[] }[] };
  const [volume] = next.volumes;
  assert.match(volume?.name ?? '', /^kube-api-access-[a-z0-9]{5}$/);
  assert.deepEqual(volume?.projected.sources.map((source) => Object.keys(source)[0]), ['serviceAccountToken', 'configMap', 'downwardAPI']);
  const mount = { name: volume?.name, readOnly: true, mountPath: path };
  assert.deepEqual([...next.initContainers, ...next.containers].map(({ volumeMounts }) => volumeMounts), [[mount], [own, mount], [elsewhere]]);
  const without = await admit(serviceAccount, pod({ containers: [{ name: 'd', volumeMounts: [elsewhere] }] }), { known: [account()] });
  assert.equal(without.spec.volumes, undefined);
  // A pod that has such a volume already, as a copy of another, needs no second one.
  const copied = await admit(serviceAccount, pod({ volumes: [volume, { name: 'data' }] }), { known: [account()] });
  assert.deepEqual(copied.spec.volumes, [volume, { name: 'data' }]);
  assert.deepEqual(copied.spec.containers?.map(({ volumeMounts }) => volumeMounts), [[mount]]);
});

test('R5.9-07 R5.9-08 R5.9-09 ServiceAccount: no token where pod or account does not want it', async () => {
  const rows: readonly (readonly [pod: object, account: object, orch: number, kubernetes: number])[] = [
    [{ automountServiceAccountToken: false }, {}, 0, 0],
    [{}, { automountServiceAccountToken: false }, 0, 0],
    [{ automountServiceAccountToken: true }, { automountServiceAccountToken: false }, 0, 1],
    [{ automountServiceAccountToken: false }, { automountServiceAccountToken: true }, 0, 0],
    [{}, {}, 1, 1],
    [{ automountServiceAccountToken: true }, {}, 1, 1],
    [{}, { automountServiceAccountToken: true }, 1, 1],
  ];
  for (const [spec, of, ...volumes] of rows) {
    for (const [position, dialect] of (['orch', 'kubernetes'] as const).entries()) {
      const next = await admit(serviceAccount, pod(spec), { known: [account(of)], dialect });
      assert.equal(next.spec.volumes?.length ?? 0, volumes[position]);
    }
  }
});

test('R5.9-11 ServiceAccount: pods without secrets for images get those of the account', async () => {
  const known = [account({ imagePullSecrets: [{ name: 'reg' }] })];
  assert.deepEqual((await admit(serviceAccount, pod(), { known })).spec.imagePullSecrets, [{ name: 'reg' }]);
  const own = pod({ imagePullSecrets: [{ name: 'own' }] });
  assert.deepEqual((await admit(serviceAccount, own, { known })).spec.imagePullSecrets, [{ name: 'own' }]);
});

test('ServiceAccount: an account may be limited to the secrets it names', async () => {
  const known = [account({ secrets: [{ name: 's' }] }, { annotations: { 'orch.io/enforce-mountable-secrets': 'true' } })];
  const from = (name: string) => ({ containers: [{ name: 'c', env: [{ name: 'D', value: 'd' }, { name: 'E', valueFrom: { secretKeyRef: { name } } }] }] });
  const volume = (secretName: string): object => ({ volumes: [{ name: 'v', secret: { secretName } }] });
  await admit(serviceAccount, pod({ ...from('s'), ...volume('s') }), { known });
  await assert.rejects(admit(serviceAccount, pod(from('other')), { known }), refused('container c with envVar E'));
  await assert.rejects(admit(serviceAccount, pod({ initContainers: from('other').containers }), { known }), refused('container c with envVar E'));
  const whole = { containers: [{ name: 'c', envFrom: [{ configMapRef: { name: 'm' } }, { secretRef: { name: 'other' } }] }] };
  await assert.rejects(admit(serviceAccount, pod(whole), { known }), refused('container c with envFrom referencing secret.secretName="other"'));
  await assert.rejects(admit(serviceAccount, pod(volume('other')), { known }), refused('volume with secret.secretName="other"'));
  await assert.rejects(admit(serviceAccount, pod({ imagePullSecrets: [{ name: 'x' }] }), { known }), refused('imagePullSecrets[0].name="x"'));
});

test('ServiceAccount: what an account is limited to holds for containers that join a pod later', async () => {
  const limits = { annotations: { 'orch.io/enforce-mountable-secrets': 'true' } };
  const known = [account({ secrets: [{ name: 's' }] }, limits)];
  const live = pod({ serviceAccountName: 'default' });
  const join = (container: object, subresource = 'ephemeralcontainers', accounts = known): Promise<object> =>
    admit(serviceAccount, pod({ serviceAccountName: 'default', ephemeralContainers: [{ name: 'd', ...container }] }), { known: accounts, live, subresource });
  const env = (name: string): object => ({ env: [{ name: 'E', valueFrom: { secretKeyRef: { name } } }] });
  await join(env('s'));
  await assert.rejects(join(env('other')), refused('ephemeral container d with envVar E referencing secret.secretName="other"'));
  await assert.rejects(join({ envFrom: [{ secretRef: { name: 'other' } }] }), refused('ephemeral container d with envFrom referencing secret.secretName="other"'));
  await join(env('other'), 'ephemeralcontainers', [account({ secrets: [{ name: 's' }] })]);
  await join(env('other'), 'ephemeralcontainers', []);
  await join(env('other'), '');
  for (const said of ['1', 't', 'T', 'true', 'TRUE', 'True']) {
    const accounts = [account({}, { annotations: { 'orch.io/enforce-mountable-secrets': said } })];
    await assert.rejects(join(env('other'), 'ephemeralcontainers', accounts), refused('referencing secret.secretName="other"'), said);
  }
});

test('ServiceAccount: an account of a name that none can have is none', async () => {
  await assert.rejects(admit(serviceAccount, pod({ serviceAccountName: '/a%' })), refused(`error looking up service account n//a%: invalid resource name "/a%": [may not contain '/' may not contain '%']`));
});

test('ServiceAccount: what a node shows of its own pods stays as it is, and may have nothing of the API', async () => {
  const mirror = (spec: object) => pod(spec, { annotations: { 'orch.io/config.mirror': 'x' } });
  assert.deepEqual((await admit(serviceAccount, mirror({}))).spec, pod().spec);
  await assert.rejects(admit(serviceAccount, mirror({ serviceAccountName: 'a' })), refused('may not reference service accounts'));
  const disks = [{ secret: { secretName: 's' } }, { csi: { driver: 'd', nodePublishSecretRef: { name: 's' } } }, { azureFile: { secretName: 's' } }, { flexVolume: { secretRef: { name: 's' } } }];
  for (const disk of disks) await assert.rejects(admit(serviceAccount, mirror({ volumes: [{ name: 'v', ...disk }] })), refused('may not reference secrets'));
  const debug = { ephemeralContainers: [{ name: 'd', envFrom: [{ secretRef: { name: 's' } }] }] };
  await assert.rejects(admit(serviceAccount, mirror(debug)), refused('may not reference secrets'));
  await admit(serviceAccount, mirror({ volumes: [{ name: 'v', secret: {} }] }));
  const token = { volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: {} }] } }] };
  await assert.rejects(admit(serviceAccount, mirror(token)), refused('ServiceAccountToken volume projections'));
});
