import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellsOf, write } from '../test-support.ts';
import { Ingress } from './ingress.ts';

const service = { service: { name: 's', port: { number: 80 } } };
const path = (one: object): object => ({ rules: [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend: service, ...one }] } }] });
const backend = (one: object): object => ({ defaultBackend: one });
const host = (text: string): object => ({ rules: [{ host: text }] });
const PATH = 'spec.rules[0].http.paths[0]';
const BACKEND = 'spec.defaultBackend';

const created: readonly (readonly [title: string, spec: object, causes: readonly string[]])[] = [
  ['nothing to send to', {}, ['Invalid spec']],
  ['a backend', backend(service), []],
  ['no kind of backend', backend({}), [`Invalid ${BACKEND}`]],
  ['both kinds of backend', backend({ ...service, resource: { kind: 'K', name: 'n' } }), [`Invalid ${BACKEND}`]],
  ['a resource without name', backend({ resource: { kind: 'K', name: '' } }), [`Required ${BACKEND}.resource.name`]],
  ['a service without name and port', backend({ service: {} }), [`Required ${BACKEND}.service.name`, `Required ${BACKEND}`]],
  ['two ports', backend({ service: { name: 's', port: { name: 'p', number: 1 } } }), [`Invalid ${BACKEND}`]],
  ['a port by its name', backend({ service: { name: 's', port: { name: 'p' } } }), []],
  ['bad ports', { ...backend({ service: { name: 's', port: { number: 70_000 } } }) }, [`Invalid ${BACKEND}.service.port.number`]],
  ['a path', path({}), []],
  ['a relative path', path({ path: 'x' }), [`Invalid ${PATH}.path`]],
  ['a path that climbs', path({ path: '/a/..' }), [`Invalid ${PATH}.path`]],
  ['a path of the implementation', path({ path: '', pathType: 'ImplementationSpecific' }), []],
  ['a relative path of the implementation', path({ path: 'x', pathType: 'ImplementationSpecific' }), [`Invalid ${PATH}.path`]],
  ['no type of path, and nothing more is said', path({ pathType: null, backend: {} }), [`Required ${PATH}.pathType`]],
  ['an unknown type of path', path({ pathType: 'Regex' }), [`NotSupported ${PATH}.pathType`]],
  ['no paths', { rules: [{ http: { paths: [] } }] }, ['Required spec.rules[0].http.paths']],
  ['a wildcard', host('*.example.com'), []],
  ['a wildcard in the middle', host('a.*.com'), ['Invalid spec.rules[0].host']],
  ['an address as host', host('10.0.0.1'), ['Invalid spec.rules[0].host']],
  ['hosts without a secret', { ...backend(service), tls: [{ hosts: ['a'] }] }, []],
  ['bad hosts and secrets', { ...backend(service), tls: [{ hosts: ['A'], secretName: 'B!' }] }, ['Invalid spec.tls[0].hosts[0]', 'Invalid spec.tls[0].secretName']],
];

for (const [title, spec, causes] of created) {
  test(`Ingress: ${title}`, () => assert.deepEqual(write(Ingress, { body: { spec } }).causes, causes));
}

test('Ingress: what is said of nothing to send to, and of paths that leave their place', () => {
  const said = (spec: object): readonly string[] => write(Ingress, { body: { spec } }).messages;
  assert.deepEqual(said({}), ['Invalid value: []networking.IngressRule(nil): either `defaultBackend` or `rules` must be specified']);
  const rows = [['/a//b', `must not contain '//'`], ['/a/./b', `must not contain '/./'`], ['/a/../b', `must not contain '/../'`], ['/a%2fb', `must not contain '%2f'`], ['/a%2Fb', `must not contain '%2F'`], ['/a/..', `cannot end with '/..'`], ['/a/.', `cannot end with '/.'`]] as const;
  for (const [text, why] of rows) assert.deepEqual(said(path({ path: text })), [`Invalid value: "${text}": ${why}`]);
});

test('Ingress: a new one has its class in one place', () => {
  const made = (annotations: object, spec: object): readonly string[] => write(Ingress, { body: { metadata: { annotations }, spec: { ...backend(service), ...spec } } }).causes;
  assert.deepEqual([made({ 'orch.io/ingress.class': 'x' }, {}), made({}, { ingressClassName: 'y' })], [[], []]);
  const body = { metadata: { annotations: { 'orch.io/ingress.class': 'x' } }, spec: { ...backend(service), ingressClassName: 'y' } };
  const { causes, object } = write(Ingress, { body });
  assert.deepEqual([causes, write(Ingress, { body, live: object }).causes], [['Invalid annotations.orch.io/ingress.class'], []]);
});

const old: readonly (readonly [title: string, spec: object, causes: readonly string[]])[] = [
  ['a bad secret', { ...backend(service), tls: [{ secretName: 'B!' }] }, ['Invalid spec.tls[0].secretName']],
  ['bad paths of a wildcard', { rules: [{ host: '*.example.com', http: { paths: [{ path: 'x', pathType: 'Prefix', backend: {} }] } }] }, [`Invalid ${PATH}.path`, `Invalid ${PATH}.backend`]],
];
for (const [title, spec, causes] of old) {
  test(`Ingress: ${title} may stay where it was`, () => {
    const { object, causes: found } = write(Ingress, { body: { spec } });
    const { object: good } = write(Ingress, { body: { spec: backend(service) } });
    assert.deepEqual([found, write(Ingress, { body: { spec }, live: object }).causes, write(Ingress, { body: { spec }, live: good }).causes], [causes, [], causes]);
  });
}

test('Ingress: bad paths of another host may not stay, nor begin where those of a wildcard were good', () => {
  const bad = { host: '*.example.com', http: { paths: [] } };
  const causes = (rules: readonly object[], before: readonly object[]): readonly string[] => write(Ingress, { body: { spec: { rules } }, live: write(Ingress, { body: { spec: { rules: before } } }).object }).causes;
  const both = [bad, { http: { paths: [] } }];
  assert.deepEqual([causes(both, both), causes([bad], [{ host: '*.example.com' }])], [['Required spec.rules[1].http.paths'], ['Required spec.rules[0].http.paths']]);
  const body = { spec: { rules: [{ host: 'example.com', http: { paths: [] } }] } };
  assert.deepEqual(write(Ingress, { body, live: write(Ingress, { body }).object }).causes, ['Required spec.rules[0].http.paths']);
});

test('Ingress: addresses of the load balancer', () => {
  const { object: live } = write(Ingress, { body: { spec: backend(service) } });
  const status = { loadBalancer: { ingress: [{ ip: 'x' }, { hostname: '10.0.0.1' }, { hostname: 'b.example' }, { ip: '10.0.0.1' }] } };
  const { causes, object } = write(Ingress, { body: { spec: backend(service), status }, live, subresource: 'status' });
  assert.deepEqual(causes, ['Invalid status.loadBalancer.ingress[0].ip', 'Invalid status.loadBalancer.ingress[1].hostname']);
  assert.equal(cellsOf(Ingress, object)[2], '10.0.0.1,b.example,x');
  const { object: old } = write(Ingress, { body: { spec: {} } });
  assert.deepEqual(write(Ingress, { body: { spec: {}, status: {} }, live: old, subresource: 'status' }).causes, [], 'whatever else is wrong with it');
});

test('Ingress: columns', () => {
  const cells = (...hosts: readonly string[]): unknown => cellsOf(Ingress, write(Ingress, { body: { spec: { rules: hosts.map((name) => ({ host: name })) } } }).object)[1];
  assert.deepEqual([cells(''), cells('a', '', 'b'), cells('a', 'b', 'c'), cells('a', 'b', 'c', 'd', '')], ['*', 'a,b', 'a,b,c', 'a,b,c + 2 more...']);
  const whole = (spec: object): readonly unknown[] => cellsOf(Ingress, write(Ingress, { body: { spec: { ...backend(service), ...spec } } }).object);
  assert.deepEqual([whole({}), whole({ ingressClassName: 'c', tls: [{}] })], [['<none>', '*', '', '80'], ['c', '*', '', '80, 443']]);
  assert.deepEqual([cells('a', ''), cells('a', 'b', '')], ['a', 'a,b']);
  assert.deepEqual([cells('a', 'b', 'a'), cells('a', '', 'a', 'a', '')], ['a,b,a', 'a,a,a + 2 more...']);
});
