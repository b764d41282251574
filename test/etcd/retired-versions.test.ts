// Objects that the servers of an existing cluster have stored in versions that are served no longer.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brandOf, DIALECTS, objectTypeOf } from '#api';
import { createProtobufCodec } from '#codec';
import { allKinds } from '#kinds';
import { createKeySpace } from '#storage';
import type { TestJson, TestServer } from '#testing';
import { established } from '../support/definitions.ts';
import { NO_ETCD } from './etcd-process.ts';
import { putEntry } from './raw-entries.ts';
import { serverOnEtcd } from './server-on-etcd.ts';

const head = (name: string): object => ({ name, uid: `uid-${name}`, creationTimestamp: '2020-01-02T03:04:05Z' });
const bytes = (object: object): Uint8Array => Buffer.from(`${JSON.stringify(object)}\n`);

for (const dialect of DIALECTS) {
  const brand = brandOf(dialect);
  const group = (name: string): string => brand.group(name);
  const keyOf = (ofGroup: string, resource: string, name: string, namespace = ''): string => createKeySpace(brand).keyOf({ group: group(ofGroup), resource, namespace, name });
  const definitions = `/apis/${group('apiextensions')}/v1/customresourcedefinitions`;

  const definition = (spec: object, status: object = {}): object => ({
    kind: 'CustomResourceDefinition',
    apiVersion: `${group('apiextensions')}/v1beta1`,
    metadata: { ...head('lamps.light.example'), generation: 1 },
    spec: { group: 'light.example', version: 'v1', names: { plural: 'lamps', kind: 'Lamp' }, scope: 'Namespaced', ...spec },
    status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'], ...status },
  });

  describe(`versions that are served no longer (${dialect})`, { skip: NO_ETCD }, () => {
    const place = serverOnEtcd();

    async function startOn(entries: Readonly<Record<string, Uint8Array>>): Promise<TestServer> {
      for (const [key, value] of Object.entries(entries)) await putEntry(place.etcd, key, value);
      return place.restart({ dialect, controllers: 'none' });
    }

    const startWith = (object: object): Promise<TestServer> => startOn({ [keyOf('apiextensions', 'customresourcedefinitions', 'lamps.light.example')]: bytes(object) });

    const served = (running: TestServer): Promise<TestJson> => established(running, `${definitions}/lamps.light.example`);

    it('a definition says of each version what it said once for all, and prunes as it said', async () => {
      const running = await startWith(
        definition({
          preserveUnknownFields: false,
          versions: [
            { name: 'v1', served: true, storage: true },
            { name: 'v2', served: true, storage: false },
          ],
          validation: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { watts: { type: 'integer' } } } } } },
          subresources: { scale: { specReplicasPath: '.spec.watts', statusReplicasPath: '.status.watts' } },
          additionalPrinterColumns: [{ name: 'Watts', type: 'integer', JSONPath: '.spec.watts' }],
          conversion: { strategy: 'Webhook', webhookClientConfig: { url: 'https://converter.example' }, conversionReviewVersions: ['v1beta1'] },
        }),
      );
      const { apiVersion, spec } = await served(running);
      assert.equal(apiVersion, `${group('apiextensions')}/v1`);
      assert.deepEqual(Object.keys(spec).sort(), ['conversion', 'group', 'names', 'scope', 'versions']);
      assert.deepEqual(spec.versions.map(({ name, schema, subresources, additionalPrinterColumns }: TestJson) => [name, schema.openAPIV3Schema.properties.spec.type, subresources.scale.specReplicasPath, additionalPrinterColumns[0].jsonPath]), [
        ['v1', 'object', '.spec.watts', '.spec.watts'],
        ['v2', 'object', '.spec.watts', '.spec.watts'],
      ]);
      assert.deepEqual(spec.conversion, { strategy: 'Webhook', webhook: { clientConfig: { url: 'https://converter.example' }, conversionReviewVersions: ['v1beta1'] } });
      const made = await running.request('POST', '/apis/light.example/v1/namespaces/default/lamps', { apiVersion: 'light.example/v1', kind: 'Lamp', metadata: { name: 'a' }, spec: { watts: 5, color: 'red' } });
      assert.deepEqual([made.status, made.body.spec], [201, { watts: 5 }], made.text);
    });

    it('a definition that says nothing of unknown fields keeps them all, and is told apart until it is mended', async () => {
      const schema = { type: 'object', properties: { spec: { properties: { watts: { type: 'integer' }, nested: { type: 'object', properties: { a: { type: 'string' } } } } } } };
      const running = await startWith(definition({ validation: { openAPIV3Schema: schema } }));
      const found = await served(running);
      assert.equal(found.spec.preserveUnknownFields, true);
      assert.deepEqual(found.spec.versions.map(({ name, served: isServed, storage }: TestJson) => [name, isServed, storage]), [['v1', true, true]]);
      const path = '/apis/light.example/v1/namespaces/default/lamps';
      const sent = { watts: 5, color: 'red', nested: { a: 'x', b: [{ c: 1 }] } };
      const made = await running.request('POST', path, { apiVersion: 'light.example/v1', kind: 'Lamp', metadata: { name: 'a' }, spec: sent, other: { d: 1 } });
      assert.deepEqual([made.status, made.body.spec, made.body.other], [201, sent, { d: 1 }], made.text);
      assert.equal((await running.request('POST', path, { apiVersion: 'light.example/v1', kind: 'Lamp', metadata: { name: 'b' }, spec: { watts: 'much' } })).status, 422);

      const told = found.status.conditions.find(({ type }: TestJson) => type === 'NonStructuralSchema');
      assert.match(told.message, /spec\.preserveUnknownFields: .*must be false.*properties\[spec\]\.type: Required/);
      const one = `${definitions}/lamps.light.example`;
      assert.equal((await running.patch('merge', one, { metadata: { labels: { kept: 'as-it-is' } } })).status, 200);
      assert.equal((await running.patch('merge', one, { spec: { preserveUnknownFields: false } })).status, 422);
      const structural = { type: 'object', properties: { spec: { type: 'object', properties: { watts: { type: 'integer' } } } } };
      const mended = await running.patch('merge', one, { spec: { preserveUnknownFields: false, versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: structural } }] } });
      assert.equal(mended.status, 200, mended.text);
      assert.equal((await running.patch('merge', one, { spec: { preserveUnknownFields: true } })).status, 422);
      const after = await running.request('GET', `${path}/a`);
      assert.deepEqual(after.body.spec, { watts: 5 });
    });

    const readFrom = async (running: TestServer, path: string): Promise<TestJson> => {
      const { status, body, text } = await running.request('GET', path);
      assert.equal(status, 200, text);
      return body;
    };

    it('what once was in another group is read from there', async () => {
      const [ingress, policy] = ['Ingress', 'NetworkPolicy'].map((name) => allKinds.find(({ kind }) => kind === name)?.retired?.['extensions/v1beta1']?.schema);
      assert.ok(ingress && policy);
      const inGroup = { apiVersion: 'extensions/v1beta1', metadata: { ...head('old'), namespace: 'default' } };
      const spec = { backend: { serviceName: 'all', servicePort: 80 }, rules: [{ host: 'h.example', http: { paths: [{ backend: { serviceName: 'one', servicePort: 'web' } }] } }] };
      const running = await startOn({
        [keyOf('networking', 'ingresses', 'old', 'default')]: createProtobufCodec(brand).encode(objectTypeOf(ingress), { ...inGroup, kind: 'Ingress', spec, status: { loadBalancer: {} } } as never),
        [keyOf('networking', 'networkpolicies', 'old', 'default')]: createProtobufCodec(brand).encode(objectTypeOf(policy), { ...inGroup, kind: 'NetworkPolicy', spec: { podSelector: {} } } as never),
        [keyOf('policy', 'podsecuritypolicies', 'old')]: bytes({ ...inGroup, kind: 'PodSecurityPolicy', metadata: head('old'), spec: { privileged: true } }),
      });
      const found = await readFrom(running, `/apis/${group('networking')}/v1/namespaces/default/ingresses/old`);
      assert.equal(found.apiVersion, `${group('networking')}/v1`);
      assert.deepEqual(found.spec, {
        defaultBackend: { service: { name: 'all', port: { number: 80 } } },
        rules: [{ host: 'h.example', http: { paths: [{ pathType: 'ImplementationSpecific', backend: { service: { name: 'one', port: { name: 'web' } } } }] } }],
      });
      assert.deepEqual((await readFrom(running, `/apis/${group('networking')}/v1/namespaces/default/networkpolicies/old`)).spec.policyTypes, ['Ingress']);
      assert.equal((await readFrom(running, '/apis/policy/v1beta1/podsecuritypolicies/old')).spec.privileged, true);
    });

    it('workloads from before apps/v1 are read with what their versions said by default, and what became of their fields', async () => {
      const labels = { a: 'b' };
      const common = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } } };
      const rows: readonly (readonly [kind: string, versions: readonly string[], spec: object, expected: object, annotations?: Readonly<Record<string, string>>])[] = [
        ['Deployment', ['apps/v1beta2'], {}, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600, strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } } }],
        ['Deployment', ['apps/v1beta1'], { rollbackTo: { revision: 7 } }, { replicas: 1, revisionHistoryLimit: 2, progressDeadlineSeconds: 600, rollbackTo: undefined }, { 'deprecated.deployment.rollback.to': '7' }],
        ['Deployment', ['extensions/v1beta1'], { rollbackTo: {} }, { revisionHistoryLimit: 2_147_483_647, progressDeadlineSeconds: 2_147_483_647, strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } } }, { 'deprecated.deployment.rollback.to': '0' }],
        ['Deployment', ['extensions/v1beta1'], { strategy: { type: 'Recreate' }, revisionHistoryLimit: 3 }, { revisionHistoryLimit: 3, strategy: { type: 'Recreate' } }],
        ['ReplicaSet', ['apps/v1beta2', 'extensions/v1beta1'], { replicas: 0 }, { replicas: 0 }],
        ['DaemonSet', ['apps/v1beta2'], {}, { revisionHistoryLimit: 10, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } } }],
        ['DaemonSet', ['extensions/v1beta1'], { templateGeneration: 5 }, { revisionHistoryLimit: 10, updateStrategy: { type: 'OnDelete' }, templateGeneration: undefined }, { 'deprecated.daemonset.template.generation': '5' }],
        ['DaemonSet', ['extensions/v1beta1'], { updateStrategy: { type: 'RollingUpdate' } }, { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } } }, { 'deprecated.daemonset.template.generation': '0' }],
        ['StatefulSet', ['apps/v1beta2'], {}, { podManagementPolicy: 'OrderedReady', updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } } }],
        ['StatefulSet', ['apps/v1beta1'], {}, { replicas: 1, podManagementPolicy: 'OrderedReady', revisionHistoryLimit: 10, updateStrategy: { type: 'OnDelete' } }],
        ['StatefulSet', ['apps/v1beta1'], { updateStrategy: { type: 'RollingUpdate', rollingUpdate: {} } }, { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } } }],
      ];
      const encoded = new Map<string, Uint8Array>();
      const reads: ((running: TestServer) => Promise<void>)[] = [];
      for (const [at, [kind, versions, spec, expected, annotations]] of rows.entries()) {
        const { plural, retired = {} } = allKinds.find((one) => one.group === 'apps' && one.kind === kind)!;
        for (const apiVersion of versions) {
          const schema = (retired[apiVersion] ?? retired[apiVersion.replace('apps/', '')])?.schema;
          assert.ok(schema, `${kind} of ${apiVersion}`);
          for (const [form, encode] of Object.entries({ json: bytes, protobuf: (object: object) => createProtobufCodec(brand).encode(objectTypeOf(schema), object as never) })) {
            const name = `${kind.toLowerCase()}-${at}-${apiVersion.replace('/', '-')}-${form}`;
            encoded.set(keyOf('apps', plural, name, 'default'), encode({ kind, apiVersion, metadata: { ...head(name), namespace: 'default' }, spec: { ...common, ...spec }, status: {} }));
            reads.push(async (running) => {
              const found = await readFrom(running, `/apis/apps/v1/namespaces/default/${plural}/${name}`);
              const shown = Object.fromEntries(Object.keys(expected).map((member) => [member, found.spec[member]]));
              assert.deepEqual([found.apiVersion, shown, found.metadata.annotations], ['apps/v1', expected, annotations], name);
              assert.deepEqual(found.spec.selector.matchLabels, labels, name);
            });
          }
        }
      }
      const revision = { apiVersion: 'apps/v1beta1', kind: 'ControllerRevision', metadata: { ...head('r'), namespace: 'default' }, data: { spec: { a: 1 } }, revision: 3 };
      encoded.set(keyOf('apps', 'controllerrevisions', 'r', 'default'), bytes(revision));
      encoded.set(keyOf('apps', 'controllerrevisions', 's', 'default'), bytes({ ...revision, apiVersion: 'apps/v1beta2', metadata: { ...head('s'), namespace: 'default' } }));
      const running = await startOn(Object.fromEntries(encoded));
      for (const read of reads) await read(running);
      const { items } = await readFrom(running, '/apis/apps/v1/namespaces/default/controllerrevisions');
      assert.deepEqual(items.map(({ apiVersion, data, revision: count }: TestJson) => [apiVersion, data, count]), [1, 2].map(() => [undefined, { spec: { a: 1 } }, 3]));
    });

    it('services have the lists that came later, whoever reads them', async () => {
      const type = objectTypeOf(allKinds.find(({ kind }) => kind === 'Service')!.versions['v1']!.schema);
      const service = (name: string, spec: object): object => ({ kind: 'Service', apiVersion: 'v1', metadata: { ...head(name), namespace: 'default' }, spec: { sessionAffinity: 'None', type: 'ClusterIP', ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }], ...spec }, status: { loadBalancer: {} } });
      const olds: Readonly<Record<string, readonly [spec: object, lists: readonly unknown[]]>> = {
        plain: [{ clusterIP: '10.0.0.77' }, [['10.0.0.77'], ['IPv4'], 'SingleStack']],
        six: [{ clusterIP: 'fd00::7' }, [['fd00::7'], ['IPv6'], 'SingleStack']],
        headless: [{ clusterIP: 'None', selector: { a: 'b' } }, [['None'], ['IPv4'], 'SingleStack']],
        free: [{ clusterIP: 'None' }, [['None'], ['IPv4', 'IPv6'], 'RequireDualStack']],
        outside: [{ type: 'ExternalName', externalName: 'x.example', ports: undefined }, [undefined, undefined, undefined]],
        whole: [{ clusterIP: '10.0.0.78', clusterIPs: ['10.0.0.78'], ipFamilies: ['IPv4'], ipFamilyPolicy: 'PreferDualStack' }, [['10.0.0.78'], ['IPv4'], 'PreferDualStack']],
      };
      const forms = { json: bytes, protobuf: (object: object) => createProtobufCodec(brand).encode(type, object as never) };
      for (const [form, encode] of Object.entries(forms)) {
        const entries = Object.entries(olds).map(([name, [spec]]) => [keyOf('', 'services', name, 'default'), encode(JSON.parse(JSON.stringify(service(name, spec))))] as const);
        const running = await startOn(Object.fromEntries(entries));
        const path = '/api/v1/namespaces/default/services';
        const listed = new Map((await readFrom(running, path)).items.map((one: TestJson) => [one.metadata.name, one.spec]));
        for (const [name, [, lists]] of Object.entries(olds)) {
          for (const { clusterIPs, ipFamilies, ipFamilyPolicy } of [(await readFrom(running, `${path}/${name}`)).spec, listed.get(name)]) {
            assert.deepEqual([clusterIPs, ipFamilies, ipFamilyPolicy], lists, `${name} in ${form}`);
          }
        }
      }
    });

    it('what was tried in alpha versions is read in those that it became', async () => {
      const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['p'] }];
      const paths = [{ verbs: ['get'], nonResourceURLs: ['/healthz'] }];
      const apiGroup = group('rbac');
      const [user, account, other] = [{ kind: 'User', name: 'u' }, { kind: 'ServiceAccount', name: 's', namespace: 'default' }, { kind: 'Robot', name: 'r' }];
      const given = [user, { ...user, name: '*' }, { ...account, apiVersion: 'v1' }, { ...other, apiVersion: 'robots.example/v1' }];
      const taken = [{ ...user, apiGroup }, { kind: 'Group', apiGroup, name: 'system:authenticated' }, account, { ...other, apiGroup: 'robots.example' }];
      const rows: readonly (readonly [kind: string, said: object, shown: object])[] = [
        ['Role', { rules }, { rules }],
        ['ClusterRole', { rules: paths }, { rules: paths }],
        ['RoleBinding', { subjects: given, roleRef: { kind: 'Role', name: 'r' } }, { subjects: taken, roleRef: { apiGroup, kind: 'Role', name: 'r' } }],
        ['ClusterRoleBinding', { subjects: given, roleRef: { apiGroup, kind: 'ClusterRole', name: 'r' } }, { subjects: taken, roleRef: { apiGroup, kind: 'ClusterRole', name: 'r' } }],
        ['FlowSchema', { spec: { priorityLevelConfiguration: { name: 'catch-all' }, matchingPrecedence: 7 } }, { spec: { priorityLevelConfiguration: { name: 'catch-all' }, matchingPrecedence: 7 } }],
        ['PriorityLevelConfiguration', { spec: { type: 'Exempt' } }, { spec: { type: 'Exempt' } }],
        ['PriorityClass', { value: 5 }, { value: 5, preemptionPolicy: 'PreemptLowerPriority' }],
        ['VolumeAttachment', { spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'v' } } }, { spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'v' } } }],
        ['CSIStorageCapacity', { storageClassName: 'c', capacity: '1Gi' }, { storageClassName: 'c', capacity: '1Gi' }],
        ['RuntimeClass', { spec: { runtimeHandler: 'runc', overhead: { podFixed: { cpu: '1' } } } }, { spec: undefined, handler: 'runc', overhead: { podFixed: { cpu: '1' } } }],
      ];
      const entries: [string, Uint8Array][] = [];
      for (const [kind, said] of rows) {
        const { group: ofGroup, plural, scope, retired = {} } = allKinds.find((one) => one.kind === kind)!;
        const schema = retired['v1alpha1']?.schema;
        assert.ok(schema, kind);
        const namespace = scope === 'Namespaced' ? 'default' : '';
        const forms = { json: bytes, protobuf: (object: object) => createProtobufCodec(brand).encode(objectTypeOf(schema), object as never) };
        for (const [name, encode] of Object.entries(forms)) {
          entries.push([keyOf(ofGroup, plural, name, namespace), encode({ kind, apiVersion: `${group(ofGroup)}/v1alpha1`, metadata: { ...head(name), ...(namespace === '' ? {} : { namespace }) }, ...said })]);
        }
      }
      const running = await startOn(Object.fromEntries(entries));
      for (const [kind, , shown] of rows) {
        const { group: ofGroup, plural, scope, storage } = allKinds.find((one) => one.kind === kind)!;
        for (const name of ['json', 'protobuf']) {
          const found = await readFrom(running, `/apis/${group(ofGroup)}/${storage}/${scope === 'Namespaced' ? 'namespaces/default/' : ''}${plural}/${name}`);
          assert.deepEqual(Object.fromEntries(Object.keys(shown).map((member) => [member, found[member]])), shown, `${kind} in ${name}`);
        }
      }
    });

    it('webhooks, ingresses and roles are what they were', async () => {
      const rbac = allKinds.find(({ kind }) => kind === 'ClusterRole');
      const schema = rbac?.retired?.['v1beta1']?.schema;
      assert.ok(schema);
      const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];
      const role = { apiVersion: `${group('rbac')}/v1beta1`, kind: 'ClusterRole', metadata: head('reader'), rules };
      const running = await startOn({
        [keyOf('rbac', 'clusterroles', 'reader')]: createProtobufCodec(brand).encode(objectTypeOf(schema), role as never),
        [keyOf('admissionregistration', 'validatingwebhookconfigurations', 'asked')]: bytes({
          kind: 'ValidatingWebhookConfiguration',
          apiVersion: `${group('admissionregistration')}/v1beta1`,
          metadata: head('asked'),
          webhooks: [{ name: 'a.example.com', clientConfig: { url: 'https://asked.example' }, sideEffects: 'None' }],
        }),
        [keyOf('networking', 'ingresses', 'front', 'default')]: bytes({
          kind: 'Ingress',
          apiVersion: `${group('networking')}/v1beta1`,
          metadata: { ...head('front'), namespace: 'default' },
          spec: { backend: { serviceName: 'all', servicePort: 80 }, rules: [{ host: 'h.example', http: { paths: [{ path: '/x', backend: { serviceName: 'one', servicePort: 'web' } }] } }] },
          status: { loadBalancer: {} },
        }),
      });
      const read = (path: string): Promise<TestJson> => readFrom(running, path);
      assert.deepEqual((await read(`/apis/${group('rbac')}/v1/clusterroles/reader`)).rules, rules);
      const [hook] = (await read(`/apis/${group('admissionregistration')}/v1/validatingwebhookconfigurations/asked`)).webhooks;
      assert.deepEqual([hook.failurePolicy, hook.matchPolicy, hook.timeoutSeconds, hook.admissionReviewVersions], ['Ignore', 'Exact', 30, ['v1beta1']]);
      const { spec } = await read(`/apis/${group('networking')}/v1/namespaces/default/ingresses/front`);
      assert.deepEqual(spec, {
        defaultBackend: { service: { name: 'all', port: { number: 80 } } },
        rules: [{ host: 'h.example', http: { paths: [{ path: '/x', pathType: 'ImplementationSpecific', backend: { service: { name: 'one', port: { name: 'web' } } } }] } }],
      });
    });
  });
}
