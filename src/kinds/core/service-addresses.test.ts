import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceLead, type ServiceLead } from './service-addresses.ts';

/** Where the service `hook` leads: what is given stands in the store. */
const lead = (service: object | undefined, endpoints: object | undefined, port = 443): ServiceLead => serviceLead('hook', service as never, endpoints as never, port);

const service = (spec: object): object => ({ metadata: { name: 'hook' }, spec });
const endpoints = (...subsets: readonly object[]): object => ({ metadata: { name: 'hook' }, subsets });
const ready = (ports: readonly object[], ...ips: readonly string[]): object => ({ addresses: ips.map((ip) => ({ ip })), ports });

const PLAIN = service({ type: 'ClusterIP', clusterIP: '10.0.0.5', ports: [{ name: 'metrics', port: 80 }, { name: 'https', port: 443 }] });
const PORTS = [{ name: 'metrics', port: 9090 }, { name: 'https', port: 8443 }];

test('R2.7-45 R2.7-49 a service leads to all its ready endpoints, at the port of that name, each time to another one first', () => {
  const stored = endpoints(ready([{ name: 'metrics', port: 1 }], '10.1.0.9'), ready(PORTS, '10.1.0.1', '10.1.0.2'));
  const found = new Set(Array.from({ length: 100 }, () => JSON.stringify(lead(PLAIN, stored))));
  const [one, other] = ['10.1.0.1', '10.1.0.2'].map((host) => ({ host, port: 8443 }));
  assert.deepEqual([...found].sort(), [[one, other], [other, one]].map((addresses) => JSON.stringify({ addresses })));
  const nameless = service({ clusterIP: '10.0.0.5', ports: [{ port: 443 }] });
  assert.deepEqual(lead(nameless, endpoints(ready([{ port: 8443 }], '10.1.0.1'))), { addresses: [{ host: '10.1.0.1', port: 8443 }] });
});

test('R2.7-45 where nothing is said of endpoints a service leads to its address, or to the name it stands for', () => {
  for (const stored of [undefined, endpoints(), { metadata: {}, subsets: null }]) {
    assert.deepEqual(lead(PLAIN, stored), { addresses: [{ host: '10.0.0.5', port: 443 }] });
  }
  const external = service({ type: 'ExternalName', externalName: 'hook.example.com' });
  for (const stored of [undefined, endpoints({ notReadyAddresses: [{ ip: '10.1.0.1' }], ports: PORTS })]) {
    assert.deepEqual(lead(external, stored, 8443), { addresses: [{ host: 'hook.example.com', port: 8443 }] });
  }
});

test('R2.7-45 why a service leads nowhere', () => {
  const rows: readonly (readonly [service: object | undefined, endpoints: object | undefined, port: number, nowhere: string])[] = [
    [undefined, undefined, 443, 'service "hook" not found'],
    [PLAIN, undefined, 444, 'no service port 444 found for service "hook"'],
    [service({ ports: null }), undefined, 443, 'no service port 443 found for service "hook"'],
    [PLAIN, endpoints(ready([{ name: 'metrics', port: 9090 }], '10.1.0.1')), 443, 'no endpoints available for service "hook"'],
    [PLAIN, endpoints({ addresses: null, ports: PORTS }), 443, 'no endpoints available for service "hook"'],
    [PLAIN, endpoints({ notReadyAddresses: [{ ip: '10.1.0.1' }], ports: PORTS }), 443, 'no endpoints available for service "hook"'],
    ...[undefined, '', 'None'].map((clusterIP) => [service({ clusterIP, ports: [{ port: 443 }] }), undefined, 443, 'service "hook" has neither endpoints nor a cluster IP'] as const),
    ...[undefined, ''].map((externalName) => [service({ type: 'ExternalName', externalName }), undefined, 443, 'service "hook" has no external name'] as const),
  ];
  for (const [stored, about, port, nowhere] of rows) assert.deepEqual(lead(stored, about, port), { nowhere });
});
