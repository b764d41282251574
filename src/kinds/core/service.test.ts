import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellsOf, write } from '../test-support.ts';
import { Service, type Service as AnyService } from './service.ts';

const service = (spec: object, live?: AnyService): AnyService => write(Service, { body: { spec }, ...(live === undefined ? {} : { live }) }).object as AnyService;
const PORTS = [{ port: 80 }];

test('RX-06 Service: defaults of a plain service', () => {
  assert.deepEqual(service({ ports: PORTS }).spec, {
    ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
    type: 'ClusterIP',
    sessionAffinity: 'None',
    internalTrafficPolicy: 'Cluster',
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
  });
});

test('Service: without address and selector it may be of any family', () => {
  const { ipFamilies, ipFamilyPolicy, clusterIPs } = service({ clusterIP: 'None' }).spec;
  assert.deepEqual([ipFamilies, ipFamilyPolicy, clusterIPs], [['IPv4', 'IPv6'], 'RequireDualStack', ['None']]);
});

const faults: readonly (readonly [what: string, spec: object, causes: readonly string[]])[] = [
  ['no ports', {}, ['Required spec.ports']],
  ['headless without ports', { clusterIP: 'None' }, []],
  ['ports without names', { ports: [{ port: 80 }, { port: 81 }] }, ['Required spec.ports[0].name', 'Required spec.ports[1].name']],
  ['a port twice', { ports: [{ name: 'a', port: 80 }, { name: 'b', port: 80 }] }, ['Duplicate spec.ports[1]']],
  ['a node port on a cluster address', { ports: [{ port: 80, nodePort: 31_000 }] }, ['Forbidden spec.ports[0].nodePort']],
  ['a headless node port', { type: 'NodePort', clusterIP: 'None', ports: PORTS }, ['Invalid spec.clusterIPs[0]']],
  ['a name without name', { type: 'ExternalName' }, ['Required spec.externalName']],
  ['a name with an address', { type: 'ExternalName', externalName: 'x.y', clusterIP: '10.0.0.9' }, ['Forbidden spec.clusterIPs']],
  ['ranges without balancer', { ports: PORTS, loadBalancerSourceRanges: ['10.0.0.0/8'] }, ['Forbidden spec.LoadBalancerSourceRanges']],
  ['the kubelet port in the open', { type: 'LoadBalancer', ports: [{ port: 10_250 }] }, ['Invalid spec.ports[0]']],
  ['two names of the address', { clusterIP: '10.0.0.9', clusterIPs: ['10.0.0.8'], ports: PORTS }, ['Invalid spec.clusterIPs']],
  ['IPv6', { ipFamilies: ['IPv6'], ports: PORTS }, ['Invalid spec.ipFamilies[0]']],
  ['a port for health checks that is none', { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 65_536, ports: PORTS }, ['Invalid spec.healthCheckNodePort']],
  ['an address beside none, of another family', { clusterIP: 'None', clusterIPs: ['10.0.0.9'], ipFamilies: ['IPv6'], ports: PORTS }, ['Invalid spec.clusterIPs', 'Invalid spec.clusterIPs[0]']],
  ['no address first', { clusterIP: 'None', clusterIPs: ['None', '10.0.0.9'], ports: PORTS }, ['Invalid spec.clusterIPs']],
  ['no address twice', { clusterIP: 'None', clusterIPs: ['None', 'None'], ports: PORTS }, ['Invalid spec.clusterIPs', 'Invalid spec.clusterIPs[1]']],
  ['an address of IPv6', { clusterIP: 'fd00::1', ports: PORTS }, ['Invalid spec.clusterIPs[0]']],
  ['an address of IPv6 and its family', { clusterIP: 'fd00::1', ipFamilies: ['IPv6'], ports: PORTS }, ['Invalid spec.ipFamilies[0]']],
  ['two families without a policy', { ipFamilies: ['IPv4', 'IPv6'], ports: PORTS }, ['Invalid spec.ipFamilyPolicy']],
  ['two families and a policy of one', { clusterIP: 'None', ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4', 'IPv6'] }, ['Invalid spec.ipFamilyPolicy']],
  ['a loopback address', { externalIPs: ['127.0.0.1', '::1', '::ffff:127.0.0.1'], ports: PORTS }, ['Invalid spec.externalIPs[0]', 'Invalid spec.externalIPs[1]', 'Invalid spec.externalIPs[2]']],
  ['local traffic on a cluster address', { externalTrafficPolicy: 'Local', ports: PORTS }, ['Invalid spec.externalTrafficPolicy']],
];

for (const [what, spec, causes] of faults) {
  test(`Service: ${what}`, () => assert.deepEqual(write(Service, { body: { spec } }).causes, causes));
}

test('Service: an update keeps what the server gave', () => {
  const live = service({ type: 'NodePort', clusterIP: '10.0.0.9', ports: [{ port: 80, nodePort: 31_000 }] });
  const next = service({ type: 'NodePort', ports: [{ port: 81 }] }, live);
  assert.deepEqual([next.spec.clusterIP, next.spec.clusterIPs, next.spec.ports?.[0]?.nodePort], ['10.0.0.9', ['10.0.0.9'], 31_000]);
});

test('Service: the address may not change, but goes with the type', () => {
  const live = service({ clusterIP: '10.0.0.9', ports: PORTS });
  const { causes } = write(Service, { body: { spec: { clusterIP: '10.0.0.8', ports: PORTS } }, live });
  assert.deepEqual(causes, ['Invalid spec.clusterIPs[0]']);
  const named = service({ ...live.spec, type: 'ExternalName', externalName: 'x.y' }, live);
  assert.deepEqual([named.spec.clusterIP, named.spec.clusterIPs, named.spec.ipFamilies, named.spec.ipFamilyPolicy], [undefined, undefined, undefined, undefined]);
});

test('R2.5-12 Service: cells', () => {
  const balanced = service({ type: 'LoadBalancer', clusterIP: '10.0.0.9', ports: [{ port: 80, nodePort: 31_000 }] });
  assert.deepEqual(cellsOf(Service, balanced), ['LoadBalancer', '10.0.0.9', '<pending>', '80:31000/TCP', '<none>']);
  balanced.status.loadBalancer = { ingress: [{ ip: '192.0.2.1' }] };
  assert.equal(cellsOf(Service, balanced)[2], '192.0.2.1');
});

test('Service: the families of one without address and selector may change; to have fewer of them the policy must say so', () => {
  const live = service({ clusterIP: 'None' });
  const causes = (spec: object): readonly string[] => write(Service, { body: { spec: { clusterIP: 'None', ...spec } }, live }).causes;
  assert.deepEqual(causes({ ipFamilies: ['IPv6', 'IPv4'], ipFamilyPolicy: 'RequireDualStack' }), []);
  assert.deepEqual(causes({ ipFamilies: ['IPv6'], ipFamilyPolicy: 'SingleStack' }), []);
  assert.deepEqual(causes({ ipFamilies: ['IPv6'], ipFamilyPolicy: 'RequireDualStack' }), ['Invalid spec.ipFamilyPolicy']);
  assert.deepEqual(causes({ ipFamilies: ['IPv6'] }), ['Invalid spec.ipFamilyPolicy']);
});

test('Service: the port for health checks stays as long as it is needed', () => {
  const local = { type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports: PORTS };
  const live = service({ ...local, healthCheckNodePort: 30_001 });
  const causes = (spec: object): readonly string[] => write(Service, { body: { spec }, live }).causes;
  assert.deepEqual(causes({ ...local, healthCheckNodePort: 30_002 }), ['Forbidden spec.healthCheckNodePort']);
  assert.deepEqual(causes(local), []);
  assert.deepEqual(causes({ ...local, externalTrafficPolicy: 'Cluster' }), []);
  const near = { ...live.spec, externalTrafficPolicy: 'Cluster' };
  const { object, causes: none } = write(Service, { body: { spec: near }, live });
  assert.deepEqual([none, (object as AnyService).spec.healthCheckNodePort], [[], undefined]);
  assert.deepEqual(causes({ ...near, healthCheckNodePort: 30_002 }), ['Invalid spec.healthCheckNodePort']);
  // Who comes to need one may choose it.
  const chosen = { ...local, healthCheckNodePort: 30_002 };
  assert.deepEqual(write(Service, { body: { spec: chosen }, live: service({ type: 'LoadBalancer', ports: PORTS }) }).causes, []);
});

test('Service: a balancer speaks one protocol, unless its service has had several before', () => {
  const several = { ports: [{ name: 'a', port: 53 }, { name: 'b', port: 53, protocol: 'UDP' }] };
  const causes = (spec: object, live?: AnyService): readonly string[] => write(Service, { body: { spec }, ...(live && { live }) }).causes;
  assert.deepEqual(causes({ type: 'LoadBalancer', ...several }), ['Invalid spec.ports']);
  assert.deepEqual(causes({ type: 'NodePort', ...several }), []);
  assert.deepEqual(causes({ type: 'LoadBalancer', ...several }, service(several)), []);
  assert.deepEqual(causes({ type: 'LoadBalancer', ...several }, service({ ports: PORTS })), ['Invalid spec.ports']);
});

test('Service: a type that is none takes nothing away', () => {
  const live = service({ clusterIP: '10.0.0.9', ports: PORTS });
  assert.deepEqual(write(Service, { body: { spec: { ...live.spec, type: 'Bogus' } }, live }).causes, ['NotSupported spec.type']);
});

test('Service: ports of nodes go with the type, whichever are left, unless there is a new one', () => {
  const ports = [{ name: 'a', port: 80, nodePort: 31_000 }, { name: 'b', port: 81, nodePort: 31_001 }];
  const live = service({ type: 'NodePort', clusterIP: '10.0.0.9', ports });
  const change = (...left: readonly object[]) => write(Service, { body: { spec: { ports: left } }, live });
  const { object, causes } = change(ports[1]!);
  assert.deepEqual([causes, (object as AnyService).spec.ports?.[0]?.nodePort], [[], undefined]);
  assert.deepEqual(change({ ...ports[1], nodePort: 31_002 }).causes, ['Forbidden spec.ports[0].nodePort']);
});

test('Service: it can become a name whether its address is left in place or cleared', () => {
  const live = service({ clusterIP: '10.0.0.9', ports: PORTS });
  const { clusterIP: _, ...cleared } = live.spec;
  for (const spec of [live.spec, cleared]) {
    const { object, causes } = write(Service, { body: { spec: { ...spec, type: 'ExternalName', externalName: 'x.y' } }, live });
    const { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy } = (object as AnyService).spec;
    assert.deepEqual([causes, clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy], [[], undefined, undefined, undefined, undefined]);
  }
});

const BOTH = ['IPv4', 'IPv6'];
const among = (serviceFamilies: readonly string[], spec: object, live?: AnyService) => write(Service, { body: { spec: { ports: PORTS, ...spec } }, serviceFamilies, ...(live && { live }) });

const refused: readonly (readonly [what: string, spec: object, causes: readonly string[]])[] = [
  ['two addresses, one family', { clusterIP: '10.0.0.9', clusterIPs: ['10.0.0.9', 'fd00::1'] }, ['Invalid spec.ipFamilyPolicy']],
  ['an address of the other family than the first', { clusterIP: '10.0.0.9', ipFamilies: ['IPv6', 'IPv4'] }, ['Invalid spec.clusterIPs[0]']],
  ['addresses in another order than the family', { clusterIP: '10.0.0.9', clusterIPs: ['10.0.0.9', 'fd00::1'], ipFamilies: ['IPv6'], ipFamilyPolicy: 'PreferDualStack' }, ['Invalid spec.clusterIPs[0]']],
  ['two addresses of a family', { clusterIP: '10.0.0.9', clusterIPs: ['10.0.0.9', '10.0.0.8'], ipFamilyPolicy: 'PreferDualStack' }, ['Invalid spec.clusterIPs']],
];

for (const [what, spec, causes] of refused) {
  test(`Service: ${what} is refused for what was asked, and nothing is added`, () => {
    const { object, causes: said, messages } = among(BOTH, { name: 'also wrong', ...spec });
    assert.deepEqual([said, messages.length], [causes, 1]);
    assert.deepEqual((object as AnyService).spec.ipFamilies, (spec as AnyService['spec']).ipFamilies);
  });
}

const said: readonly (readonly [what: string, spec: object, messages: readonly string[]])[] = [
  ['a list without the member', { clusterIPs: ['10.0.0.9'] }, ['Invalid value: []string{"10.0.0.9"}: must be empty when `clusterIP` is not specified']],
  ['a list that begins with another', { clusterIP: '10.0.0.9', clusterIPs: ['10.0.0.8'] }, ['Invalid value: []string{"10.0.0.8"}: first value must match `clusterIP`']],
  ['a family twice', { ipFamilies: ['IPv4', 'IPv4'] }, ['Duplicate value: "IPv4"']],
  ['a second address that is none, and nothing of its family', { clusterIP: '10.0.0.9', clusterIPs: ['10.0.0.9', 'x'] }, ['Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']],
  ['two of one family', { clusterIP: '10.0.0.9', clusterIPs: ['10.0.0.9', '10.0.0.8'] }, ['Invalid value: []string{"10.0.0.9", "10.0.0.8"}: may specify no more than one IP for each IP family']],
  ['two families where there is one', { ipFamilyPolicy: 'RequireDualStack' }, ['Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services']],
  ['an address of another family', { clusterIP: '10.0.0.9', ipFamilies: ['IPv6'] }, ['Invalid value: "10.0.0.9": expected an IPv6 value as indicated by `ipFamilies[0]`']],
];

for (const [what, spec, messages] of said) test(`Service: ${what}, in words that clients know`, () => assert.deepEqual(among(['IPv4'], spec).messages, messages));

test('Service: an address that comes, goes or gives way to a name is told once, and nothing of families', () => {
  const selector = { a: 'b' };
  const [addressed, headless] = [{ clusterIP: '10.0.0.9', ipFamilies: ['IPv4'] }, { clusterIP: 'None', ipFamilies: ['IPv6'] }].map((spec) => ({ ...spec, selector }));
  const change = (next: object, before: object | undefined): readonly string[] => among(BOTH, next, among(BOTH, { ...before }).object as AnyService).causes;
  assert.deepEqual(change({ ...addressed }, headless), ['Invalid spec.clusterIPs[0]']);
  assert.deepEqual(change({ ...headless }, addressed), ['Invalid spec.clusterIPs[0]']);
  assert.deepEqual(change({ clusterIP: '10.0.0.8', type: 'ExternalName', externalName: 'x.y' }, addressed), ['Forbidden spec.clusterIPs']);
});

test('Service: one that takes what there is is given more with another type, and not for a policy that it had no name for', () => {
  const spec = { clusterIP: '10.0.0.9', ipFamilies: ['IPv4'], ipFamilyPolicy: 'PreferDualStack' };
  const live = among(['IPv4'], { ...spec, type: 'NodePort' }).object as AnyService;
  const familiesOf = (next: object, before: AnyService): unknown => (among(BOTH, next, before).object as AnyService).spec.ipFamilies;
  assert.deepEqual([familiesOf({ ...spec, type: 'NodePort' }, live), familiesOf({ ...spec, type: 'LoadBalancer' }, live)], [['IPv4'], BOTH]);
  const { ipFamilyPolicy: _, ...unnamed } = live.spec;
  assert.deepEqual(familiesOf({ ...spec, type: 'NodePort' }, { ...live, spec: unnamed } as AnyService), ['IPv4']);
});

test('Service: who takes the second address away must say that one is enough', () => {
  const live = among(BOTH, { clusterIP: '10.0.0.9', clusterIPs: ['10.0.0.9', 'fd00::1'], ipFamilyPolicy: 'RequireDualStack' }).object as AnyService;
  const less = { clusterIP: '10.0.0.9', clusterIPs: ['10.0.0.9'] };
  assert.deepEqual(among(BOTH, less, live).messages, [`Invalid value: "RequireDualStack": must be 'SingleStack' to release the secondary cluster IP`]);
  assert.deepEqual(among(BOTH, { ...less, ipFamilyPolicy: 'SingleStack' }, live).messages, []);
});

test('Service: another first address shows what it was', () => {
  const live = among(BOTH, { clusterIP: '10.0.0.9', ipFamilies: ['IPv4'] }).object as AnyService;
  assert.deepEqual(among(BOTH, { clusterIP: 'fd00::1' }, live).messages, [
    'Invalid value: []string{"fd00::1"}: may not change once set',
    'Invalid value: []core.IPFamily{"IPv6"}: may not change once set',
  ]);
});

test('Service: a second address may come and go, and is no other one while it is there', () => {
  const specOf = (...clusterIPs: readonly string[]): object => ({ clusterIP: '10.0.0.9', clusterIPs, ipFamilyPolicy: clusterIPs.length > 1 ? 'RequireDualStack' : 'SingleStack' });
  const [one, two, other] = [specOf('10.0.0.9'), specOf('10.0.0.9', 'fd00::1'), specOf('10.0.0.9', 'fd00::2')];
  const [single, double] = [one, two].map((spec) => among(BOTH, spec).object as AnyService);
  assert.deepEqual(among(BOTH, two, single).causes, []);
  assert.deepEqual(among(BOTH, one, double).causes, []);
  assert.deepEqual(among(BOTH, other, double).messages, ['Invalid value: []string{"10.0.0.9", "fd00::2"}: may not change once set']);
});

test('Service: without an address, families that an update leaves out are the standard ones again', () => {
  for (const selector of [undefined, { a: 'b' }]) {
    const spec = { clusterIP: 'None', ...(selector && { selector }) };
    const live = among(BOTH, { ...spec, ipFamilies: ['IPv6'], ipFamilyPolicy: 'SingleStack' }).object as AnyService;
    assert.deepEqual((among(BOTH, spec, live).object as AnyService).spec.ipFamilies, ['IPv4']);
  }
});

test('Service: one that takes what there is keeps its one address when the server gives out more', () => {
  const spec = { clusterIP: '10.0.0.9', ipFamilies: ['IPv4'], ipFamilyPolicy: 'PreferDualStack' };
  const live = among(['IPv4'], spec).object as AnyService;
  assert.deepEqual((among(BOTH, live.spec, live).object as AnyService).spec.ipFamilies, ['IPv4']);
  assert.deepEqual((among(BOTH, { ...spec, ipFamilyPolicy: 'RequireDualStack' }, live).object as AnyService).spec.ipFamilies, BOTH);
});

test('Service: what is written back as it was read stays as it is, whatever form it has', () => {
  const two = { clusterIP: '10.0.0.9', clusterIPs: ['10.0.0.9', 'fd00::1'] };
  const forms: readonly object[] = [
    { clusterIP: '10.0.0.9' },
    { clusterIP: 'fd00::1' },
    { clusterIP: 'None' },
    { clusterIP: 'None', selector: { a: 'b' }, ipFamilyPolicy: 'RequireDualStack' },
    { ...two, ipFamilyPolicy: 'RequireDualStack' },
    { ...two, ipFamilyPolicy: 'PreferDualStack', type: 'NodePort', ports: [{ port: 80, nodePort: 31_000 }] },
    { ...two, ipFamilyPolicy: 'PreferDualStack', type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 30_001, loadBalancerClass: 'a/b' },
    { type: 'ExternalName', externalName: 'x.y' },
  ];
  for (const form of forms) {
    const made = among(BOTH, form);
    assert.deepEqual(made.causes, [], JSON.stringify(form));
    const live = made.object as AnyService;
    const { object, causes } = among(BOTH, structuredClone(live.spec), live);
    assert.deepEqual([causes, (object as AnyService).spec], [[], live.spec]);
  }
});

test('Service: one of two families is kept where that is said to be enough and nothing else is said, and its address', () => {
  const live = among(BOTH, { clusterIP: '10.0.0.9', clusterIPs: ['10.0.0.9', 'fd00::1'], ipFamilyPolicy: 'RequireDualStack' }).object as AnyService;
  const { object, causes } = among(BOTH, { ...live.spec, ipFamilyPolicy: 'SingleStack' }, live);
  const { clusterIPs, ipFamilies } = (object as AnyService).spec;
  assert.deepEqual([causes, clusterIPs, ipFamilies], [[], ['10.0.0.9'], ['IPv4']]);
});

test('Service: another address in the one place counts for the other place as well', () => {
  const live = service({ clusterIP: '10.0.0.9', ports: PORTS });
  const { object, messages } = write(Service, { body: { spec: { ...live.spec, clusterIP: '10.0.0.8' } }, live });
  assert.deepEqual([(object as AnyService).spec.clusterIPs, messages], [['10.0.0.8'], ['Invalid value: []string{"10.0.0.8"}: may not change once set']]);
});

test('Service: a client that knows only the one address leaves the second where it is', () => {
  const two = { clusterIP: '10.0.0.9', clusterIPs: ['10.0.0.9', 'fd00::1'] };
  const live = among(BOTH, { ...two, ipFamilyPolicy: 'PreferDualStack' }).object as AnyService;
  const { object, causes } = among(BOTH, { clusterIP: '10.0.0.9' }, live);
  const { clusterIPs, ipFamilies, ipFamilyPolicy } = (object as AnyService).spec;
  assert.deepEqual([causes, clusterIPs, ipFamilies, ipFamilyPolicy], [[], two.clusterIPs, BOTH, 'PreferDualStack']);
  const named = among(BOTH, { clusterIP: '10.0.0.9', type: 'ExternalName', externalName: 'x.y' }, live);
  assert.deepEqual([named.causes, (named.object as AnyService).spec.clusterIPs], [[], undefined]);
});

test('Service: faults stand in the order in which 1.23 looks for them', () => {
  const live = service({ clusterIP: '10.0.0.9', ports: PORTS });
  const port = { port: 80, nodePort: 31_000, protocol: 'X' };
  const spec = { ...live.spec, clusterIP: '10.0.0.8', externalIPs: ['x'], ports: [port, { ...port, name: 'b' }], sessionAffinity: 'None', sessionAffinityConfig: {}, internalTrafficPolicy: 'X' };
  assert.deepEqual(write(Service, { body: { spec }, live }).causes, [
    'Invalid spec.clusterIPs[0]',
    'Required spec.ports[0].name',
    'NotSupported spec.ports[0].protocol',
    'NotSupported spec.ports[1].protocol',
    'Invalid spec.externalIPs[0]',
    'Forbidden spec.ports[0].nodePort',
    'Forbidden spec.ports[1].nodePort',
    'Duplicate spec.ports[1].nodePort',
    'Duplicate spec.ports[1]',
    'NotSupported spec.internalTrafficPolicy',
  ]);
  const several = { type: 'LoadBalancer', ports: [{ port: 53 }, { name: 'b', port: 53, protocol: 'UDP' }] };
  assert.deepEqual(write(Service, { body: { spec: several } }).causes, ['Required spec.ports[0].name', 'Invalid spec.ports']);
});
