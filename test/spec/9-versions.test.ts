import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf, DIALECTS, type Dialect } from '#api';
import { startTestServer, type TestAnswer, type TestJson, type TestServer } from '#testing';
import { everywhere, expect, PLACES } from './world.ts';

const pods = { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } };
const policySpec = {
  seLinux: { rule: 'RunAsAny' }, runAsUser: { rule: 'RunAsAny' }, supplementalGroups: { rule: 'RunAsAny' }, fsGroup: { rule: 'RunAsAny' },
};

/** Versions that go in a later release, with an object of each; `to`: the version that takes their place. */
const DEPRECATED: readonly (readonly [line: string, group: string, version: string, plural: string, place: string, body: object, to: string])[] = [
  ['R9-30', 'batch', 'v1beta1', 'cronjobs', 'default', { spec: { schedule: '* * * * *', jobTemplate: { spec: pods } } }, 'v1'],
  ['R9-31', 'discovery', 'v1beta1', 'endpointslices', 'default', { addressType: 'IPv4', endpoints: [] }, 'v1'],
  ['R9-32', 'events', 'v1beta1', 'events', 'default', { eventTime: '2022-01-01T00:00:00.000000Z', regarding: { kind: 'Pod', namespace: 'default', name: 'p' }, type: 'Normal', reason: 'R', action: 'A', reportingController: 'example.com/c', reportingInstance: 'i' }, 'v1'],
  ['R9-33', 'autoscaling', 'v2beta1', 'horizontalpodautoscalers', 'default', { spec: { maxReplicas: 2, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } } }, 'v1'],
  ['R9-34', 'policy', 'v1beta1', 'poddisruptionbudgets', 'default', { spec: { minAvailable: 1 } }, 'v1'],
  ['R9-36', 'policy', 'v1beta1', 'podsecuritypolicies', '', { spec: policySpec }, ''],
  ['R9-37', 'node', 'v1beta1', 'runtimeclasses', '', { handler: 'h' }, 'v1'],
];

/** Served as well, in 1.23 with or without a word about it. */
const LATER: readonly (readonly [line: string, group: string, version: string, plural: string, place: string])[] = [
  ['R9-38', 'flowcontrol', 'v1beta1', 'flowschemas', ''],
  ['R9-38', 'flowcontrol', 'v1beta1', 'prioritylevelconfigurations', ''],
  ['R9-39', 'autoscaling', 'v2beta2', 'horizontalpodautoscalers', 'default'],
];

const pathOf = (group: string, version: string, plural: string, place: string): string => `/apis/${group}/${version}/${place === '' ? '' : `namespaces/${place}/`}${plural}`;

everywhere(PLACES.both, (world) => {
  const at = (group: string, version: string, plural: string, place = ''): string => pathOf(world.brand.group(group), version, plural, place);

  test('R9-01 R9-02 R9-03 R9-04 R9-05 R9-08 R9-12 R0-01 the core group stands under /api, the others under /apis, each version by a name that says how stable it is', async () => {
    assert.deepEqual(expect(200, await world.get('/api')).versions, ['v1']);
    assert.equal(expect(200, await world.get('/api/v1')).groupVersion, 'v1');
    const { groups } = expect(200, await world.get('/apis'));
    for (const { name, versions, preferredVersion } of groups) {
      for (const { version, groupVersion } of versions) {
        assert.equal(groupVersion, `${name}/${version}`);
        assert.match(version, /^v\d+(?:beta\d+)?$/);
        assert.equal(expect(200, await world.get(`/apis/${groupVersion}`)).groupVersion, groupVersion);
      }
      // The most stable one is preferred.
      const stable = versions.filter(({ version }: TestJson) => !version.includes('beta'));
      if (stable.length > 0) assert.ok(stable.some(({ version }: TestJson) => version === preferredVersion.version), name);
    }
    const made = expect(201, await world.post(world.path('Deployment', 'default'), world.object('Deployment', { name: world.fresh('d') })));
    assert.equal(made.apiVersion, 'apps/v1');
    assert.equal((await world.make('ConfigMap', 'default', { name: world.fresh('c') })).apiVersion, 'v1');
  });

  for (const [line, group, version, plural, place, body, to] of DEPRECATED) {
    test(`${line} R9-07 R9-17 R9-22 R0-03 RX-08 ${group}/${version} ${plural} is still served, with a warning; ${to === '' ? 'nothing takes its place' : `${to} shows the same object without one`}`, async () => {
      const path = at(group, version, plural, place);
      const name = world.fresh('old');
      const made = await world.post(path, { ...body, metadata: { name } });
      expect(201, made);
      const answers: readonly TestAnswer[] = [made, await world.get(`${path}/${name}`), await world.get(path)];
      for (const answer of answers) {
        assert.match(answer.headers['warning'] ?? '', /^299 - ".* is deprecated in v1\.\d+\+, unavailable in v1\.\d+\+/);
        assert.ok(!(answer.headers['warning'] ?? '').includes('unavailable in v1.23'));
      }
      if (to === '') return;
      const newer = await world.get(`${at(group, to, plural, place)}/${name}`);
      assert.equal(newer.headers['warning'], undefined);
      assert.equal(expect(200, newer).metadata.uid, made.body.metadata.uid);
      assert.equal(newer.body.metadata.resourceVersion, made.body.metadata.resourceVersion);
      // Written back in the newer version and read in the older one, nothing is lost.
      expect(200, await world.put(`${at(group, to, plural, place)}/${name}`, newer.body));
      const { metadata: before, ...was } = made.body;
      const { metadata: after, ...is } = expect(200, await world.get(`${path}/${name}`));
      assert.deepEqual(is, was);
      assert.equal(after.uid, before.uid);
    });
  }

  for (const [line, group, version, plural, place] of LATER) {
    test(`${line} ${group}/${version} ${plural} is served`, async () => {
      assert.equal(expect(200, await world.get(at(group, version, plural, place))).apiVersion, `${world.brand.group(group)}/${version}`);
    });
  }

  test('R9-31 an endpoint of the stable version has the name of its node and its zone', async () => {
    const name = world.fresh('slice');
    const endpoint = { addresses: ['10.0.0.1'], nodeName: 'n', zone: 'z', conditions: { ready: true } };
    const made = expect(201, await world.post(at('discovery', 'v1', 'endpointslices', 'default'), { metadata: { name }, addressType: 'IPv4', endpoints: [endpoint] }));
    assert.deepEqual([made.endpoints[0].nodeName, made.endpoints[0].zone], ['n', 'z']);
  });

  test('R9-32 one event is told in the form of the group it is asked in, whatever the media type and whoever asked before', async () => {
    const namespace = await world.namespace();
    const places = [`/api/v1/namespaces/${namespace}/events`, at('events', 'v1', 'events', namespace)] as const;
    const watches = await Promise.all(places.map((place) => world.watch(`${place}?watch=1`)));
    const told = { involvedObject: { kind: 'Pod', namespace, name: 'p' }, message: 'word' };
    expect(201, await world.post(places[0], { metadata: { name: 'e' }, ...told }));
    const [core, newer] = await Promise.all(watches.map(async (watch) => (await watch.next(1))[0]?.object));
    assert.deepEqual([core.message, core.note, newer.message, newer.note], ['word', undefined, undefined, 'word']);
    const texts = [];
    for (const place of [...places, ...places]) texts.push((await world.get(place, { accept: 'application/yaml' })).text);
    assert.deepEqual(texts.map((text) => text.includes('message: word')), [true, false, true, false]);
    assert.deepEqual(texts.map((text) => text.includes('note: word')), [false, true, false, true]);
    for (const watch of watches) await watch.stop();
  });

  test('R9-35 an empty selector of a budget means every pod in policy/v1 and none in the version before: each shows what the other means', async () => {
    const budgets = (version: string): string => at('policy', version, 'poddisruptionbudgets', 'default');
    const selectorOf = async (version: string, name: string): Promise<TestJson> => expect(200, await world.get(`${budgets(version)}/${name}`)).spec.selector;
    const make = async (version: string): Promise<string> => {
      const name = world.fresh('pdb');
      expect(201, await world.post(budgets(version), { metadata: { name }, spec: { minAvailable: 1, selector: {} } }));
      assert.deepEqual(await selectorOf(version, name), {});
      return name;
    };
    // A label that no pod has: all pods lack it, and none has it.
    const [all] = (await selectorOf('v1beta1', await make('v1'))).matchExpressions;
    const [none] = (await selectorOf('v1', await make('v1beta1'))).matchExpressions;
    assert.deepEqual([all.operator, none.operator], ['DoesNotExist', 'Exists']);
    assert.equal(all.key, none.key);
  });

  test('R9-27 R9-28 R9-29 R0-03 versions that are gone are not served', async () => {
    const gone = [
      ['extensions', 'v1beta1', 'replicasets'], ['extensions', 'v1beta1', 'podsecuritypolicies'], ['extensions', 'v1beta1', 'ingresses'],
      ['apps', 'v1beta1', 'deployments'], ['apps', 'v1beta2', 'replicasets'], ['admissionregistration', 'v1beta1', 'validatingwebhookconfigurations'],
      ['admissionregistration', 'v1beta1', 'mutatingwebhookconfigurations'], ['networking', 'v1beta1', 'ingresses'], ['rbac', 'v1beta1', 'roles'],
    ] as const;
    for (const [group, version, plural] of gone) assert.equal((await world.get(at(group, version, plural))).status, 404, `${group}/${version} ${plural}`);
    for (const [group, version, plural] of [['apps', 'v1', 'replicasets'], ['policy', 'v1beta1', 'podsecuritypolicies'], ['admissionregistration', 'v1', 'validatingwebhookconfigurations']] as const) {
      expect(200, await world.get(at(group, version, plural)));
    }
  });

  test('R9-42 R9-43 R9-44 chunks, dry runs and applies need nothing to be switched on', async () => {
    const namespace = await world.namespace();
    const path = world.path('ConfigMap', namespace);
    expect(201, await world.post(`${path}?dryRun=All`, world.object('ConfigMap', { name: 'tried' })));
    for (const name of ['a', 'b']) expect(201, await world.patch('apply', `${path}/${name}?fieldManager=m`, world.object('ConfigMap', { name })));
    assert.ok(expect(200, await world.get(`${path}?limit=1`)).metadata.continue);
  });
});

test('what is left out of an apply is removed in the words of the version it was applied in, and what these always say stays', async () => {
  await withServer('kubernetes', '', async (server) => {
    const apply = async (version: string, body: object): Promise<TestJson> => {
      const apiVersion = `flowcontrol.apiserver.k8s.io/${version}`;
      const whole = { apiVersion, kind: 'PriorityLevelConfiguration', metadata: { name: 'one' }, ...body };
      return (await server.patch('apply', `/apis/${apiVersion}/prioritylevelconfigurations/one?fieldManager=m`, whole)).body;
    };
    const level = (queuing: object): object => ({ spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing } } } });
    await apply('v1beta1', level({ queues: 32 }));
    const { spec } = await apply('v1beta2', level({ handSize: 3 }));
    assert.deepEqual(spec.limited.limitResponse.queuing, { queues: 32, handSize: 3, queueLengthLimit: 50 });
  });
});

async function withServer(dialect: Dialect, runtimeConfig: string, work: (server: TestServer, group: (neutral: string) => string) => Promise<void>): Promise<void> {
  const server = await startTestServer({ dialect, controllers: 'none', runtimeConfig });
  try {
    await work(server, brandOf(dialect).group);
  } finally {
    await server.close();
  }
}

for (const dialect of DIALECTS) {
  const codeOf = async (server: TestServer, path: string): Promise<number> => (await server.request('GET', path)).status;

  test(`R9-06 R9-09 R9-10 R9-12 R9-13 R9-14 R9-15 versions and resources are switched off and on by their names (${dialect})`, async () => {
    await withServer(dialect, 'batch/v1=false', async (server) => {
      assert.deepEqual([await codeOf(server, '/apis/batch/v1/jobs'), await codeOf(server, '/apis/batch/v1beta1/cronjobs'), await codeOf(server, '/apis/apps/v1/deployments')], [404, 200, 200]);
    });
    await withServer(dialect, 'batch/v1=false,batch/v1', async (server) => assert.equal(await codeOf(server, '/apis/batch/v1/jobs'), 200));
    await withServer(dialect, 'api/all=false,api/v1=true,batch/v1', async (server) => {
      assert.deepEqual([await codeOf(server, '/api/v1/configmaps'), await codeOf(server, '/apis/batch/v1/jobs'), await codeOf(server, '/apis/apps/v1/deployments')], [200, 200, 404]);
    });
    const planned = ['batch/v1beta1', 'policy/v1beta1', `${brandOf(dialect).group('discovery')}/v1beta1`];
    await withServer(dialect, planned.map((one) => `${one}=false`).join(), async (server, group) => {
      for (const path of ['/apis/batch/v1beta1/cronjobs', '/apis/policy/v1beta1/podsecuritypolicies', `/apis/${group('discovery')}/v1beta1/endpointslices`]) assert.equal(await codeOf(server, path), 404, path);
      for (const path of ['/apis/batch/v1/cronjobs', '/apis/policy/v1/poddisruptionbudgets', `/apis/${group('discovery')}/v1/endpointslices`]) assert.equal(await codeOf(server, path), 200, path);
    });
  });
}
