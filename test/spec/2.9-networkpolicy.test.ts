import assert from 'node:assert/strict';
import { test } from 'node:test';
import { causesOf, everywhere, expect, expectFailure, PLACES } from './world.ts';

const podSelector = { matchLabels: { app: 'a' } };

everywhere(PLACES.withLmdb, (world) => {
  const path = (namespace: string, name = ''): string => world.path('NetworkPolicy', namespace, name);
  const create = async (namespace: string, spec: object, name = 'p') => world.post(path(namespace), world.object('NetworkPolicy', { name }, { spec }));

  test('R2.9-01 R2.9-02 R2.9-40 R2.9-41 served in the networking group, namespaced, with a list kind that always has items', async () => {
    const namespace = await world.namespace();
    const empty = expect(200, await world.get(path(namespace)));
    assert.deepEqual([empty.kind, empty.items], ['NetworkPolicyList', []]);
    const made = expect(201, await create(namespace, { podSelector }));
    assert.deepEqual([made.apiVersion, made.metadata.namespace], [`${world.brand.group('networking')}/v1`, namespace]);
    assert.equal(expect(200, await world.get(path(namespace))).items.length, 1);
  });

  const kept: readonly (readonly [title: string, spec: object])[] = [
    ['R2.9-12 R2.9-24 no ingress rule', { podSelector, policyTypes: ['Ingress'] }],
    ['R2.9-04 R2.9-24 every pod', { podSelector: {}, policyTypes: ['Ingress'] }],
    ['R2.9-11 R2.9-16 R2.9-18 R2.9-24 several rules, peers and ports', {
      podSelector,
      policyTypes: ['Ingress'],
      ingress: [
        { from: [{ podSelector }, { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }], ports: [{ port: 80, protocol: 'TCP' }, { port: 'dns', protocol: 'UDP' }] },
        { from: [{ podSelector: {} }] },
      ],
    }],
    ['R2.9-19 R2.9-17 R2.9-24 a rule without ports and peers', { podSelector, policyTypes: ['Ingress'], ingress: [{}] }],
    ['R2.9-20 R2.9-22 R2.9-23 R2.9-24 egress rules with and without ports', {
      podSelector,
      policyTypes: ['Egress'],
      egress: [{ to: [{ podSelector: {} }], ports: [{ port: 1, protocol: 'SCTP' }, { port: 2, protocol: 'TCP' }] }, { to: [{ namespaceSelector: {} }] }, {}],
    }],
    ['R2.9-21 R2.9-24 Egress without a rule', { podSelector, policyTypes: ['Egress'] }],
    ['R2.9-28 R2.9-29 R2.9-30 R2.9-31 peers with one selector, the other or both, empty and not', {
      podSelector,
      policyTypes: ['Ingress'],
      ingress: [{ from: [{ podSelector: {} }, { namespaceSelector: {} }, { podSelector, namespaceSelector: {} }, { podSelector: {}, namespaceSelector: podSelector }] }],
    }],
    ['R2.9-33 R2.9-37 a port that is absent, and a range of ports', {
      podSelector,
      policyTypes: ['Ingress'],
      ingress: [{ ports: [{ protocol: 'TCP' }, { port: 1000, endPort: 2000, protocol: 'TCP' }] }],
    }],
  ];
  for (const [title, spec] of kept) {
    test(`${title}: kept for those who enforce it, as sent`, async () => {
      const namespace = await world.namespace();
      assert.deepEqual(expect(201, await create(namespace, spec)).spec, spec);
      const read = expect(200, await world.get(path(namespace, 'p')));
      assert.deepEqual(read.spec, spec);
      const again = expect(200, await world.put(path(namespace, 'p'), { ...read, metadata: { ...read.metadata, labels: { a: 'b' } } }));
      assert.deepEqual(again.spec, spec);
      const proto = await world.get(path(namespace, 'p'), { accept: world.brand.names.protobuf });
      const copied = Buffer.from(proto.bytes);
      const put = await world.put(path(namespace, 'p'), copied, { 'content-type': world.brand.names.protobuf });
      assert.deepEqual(expect(200, put).spec, spec);
    });
  }

  const refused: readonly (readonly [title: string, spec: object, field: string])[] = [
    ['R2.9-06 a policy type nobody knows', { podSelector, policyTypes: ['Sideways'] }, 'FieldValueNotSupported spec.policyTypes[0]'],
    ['R2.9-25 ipBlock beside a selector', { podSelector, ingress: [{ from: [{ ipBlock: { cidr: '1.0.0.0/8' }, podSelector }] }] }, 'FieldValueForbidden spec.ingress[0].from[0]'],
    ['R2.9-26 a cidr that is none', { podSelector, egress: [{ to: [{ ipBlock: { cidr: 'x' } }] }] }, 'FieldValueInvalid spec.egress[0].to[0].ipBlock.cidr'],
    ['R2.9-27 an exception outside', { podSelector, ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/16'] } }] }] }, 'FieldValueInvalid spec.ingress[0].from[0].ipBlock.except[0]'],
    ['R2.9-35 endPort without port', { podSelector, ingress: [{ ports: [{ endPort: 5 }] }] }, 'FieldValueInvalid spec.ingress[0].ports[0].endPort'],
    ['R2.9-36 endPort below port', { podSelector, ingress: [{ ports: [{ port: 9, endPort: 5 }] }] }, 'FieldValueInvalid spec.ingress[0].ports[0].endPort'],
    ['R2.9-38 a protocol nobody knows', { podSelector, ingress: [{ ports: [{ port: 9, protocol: 'ICMP' }] }] }, 'FieldValueNotSupported spec.ingress[0].ports[0].protocol'],
  ];
  for (const [title, spec, cause] of refused) {
    test(`${title} is refused`, async () => {
      const namespace = await world.namespace();
      assert.ok(causesOf(expectFailure(422, 'Invalid', await create(namespace, spec))).includes(cause), cause);
    });
  }

  test('R2.9-07 R2.9-08 R2.9-09 R2.9-10 R2.9-39 defaults of policyTypes and protocol', async () => {
    const namespace = await world.namespace();
    const typesOf = async (name: string, spec: object) => expect(201, await create(namespace, { podSelector, ...spec }, name)).spec.policyTypes;
    assert.deepEqual(await typesOf('a', {}), ['Ingress']);
    assert.deepEqual(await typesOf('b', { egress: [{}] }), ['Ingress', 'Egress']);
    assert.deepEqual(await typesOf('c', { egress: [] }), ['Ingress']);
    const made = expect(201, await create(namespace, { podSelector, ingress: [{ ports: [{ port: 'a' }] }] }, 'd'));
    assert.equal(made.spec.ingress[0].ports[0].protocol, 'TCP');
  });
});
