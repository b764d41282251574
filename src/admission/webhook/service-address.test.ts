import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ObjectAccess } from '#api';
import { findService } from './service-address.ts';

/** What stands in the store about the service `infra/hook`, by kind. */
const storeOf = (stored: Readonly<Record<string, object>>): ObjectAccess =>
  ({
    get: async ({ kind }: { kind: string }, { namespace, name }: { namespace: string; name: string }) => {
      assert.deepEqual([namespace, name], ['infra', 'hook']);
      return stored[kind];
    },
  }) as unknown as ObjectAccess;

const service = (spec: object): object => ({ metadata: { name: 'hook' }, spec });
const endpoints = (...subsets: readonly object[]): object => ({ metadata: { name: 'hook' }, subsets });
const ready = (ports: readonly object[], ...ips: readonly string[]): object => ({ addresses: ips.map((ip) => ({ ip })), ports });

const PLAIN = service({ type: 'ClusterIP', clusterIP: '10.0.0.5', ports: [{ name: 'metrics', port: 80 }, { name: 'https', port: 443 }] });
const PORTS = [{ name: 'metrics', port: 9090 }, { name: 'https', port: 8443 }];

test('R2.7-45 R2.7-49 a service is reached at one of its ready endpoints, at the port of that name', async () => {
  const objects = storeOf({ Service: PLAIN, Endpoints: endpoints(ready([{ name: 'metrics', port: 1 }], '10.1.0.9'), ready(PORTS, '10.1.0.1', '10.1.0.2')) });
  const found = new Set<string>();
  for (let round = 0; round < 100; round++) {
    const [{ host, port }] = await findService(objects, 'infra', 'hook', 443);
    found.add(`${host}:${port}`);
  }
  assert.deepEqual([...found].sort(), ['10.1.0.1:8443', '10.1.0.2:8443']);
  const nameless = storeOf({ Service: service({ clusterIP: '10.0.0.5', ports: [{ port: 443 }] }), Endpoints: endpoints(ready([{ port: 8443 }], '10.1.0.1')) });
  assert.deepEqual(await findService(nameless, 'infra', 'hook', 443), [{ host: '10.1.0.1', port: 8443 }]);
});

test('R2.7-45 where nothing is said of endpoints a service is reached at its address, or at the name it stands for', async () => {
  for (const about of [{}, { Endpoints: endpoints() }, { Endpoints: { metadata: {}, subsets: null } }]) {
    assert.deepEqual(await findService(storeOf({ Service: PLAIN, ...about }), 'infra', 'hook', 443), [{ host: '10.0.0.5', port: 443 }]);
  }
  const external = storeOf({ Service: service({ type: 'ExternalName', externalName: 'hook.example.com' }) });
  assert.deepEqual(await findService(external, 'infra', 'hook', 8443), [{ host: 'hook.example.com', port: 8443 }]);
});

test('R2.7-45 why a service cannot be reached', async () => {
  const rows: readonly (readonly [stored: Readonly<Record<string, object>>, port: number, why: RegExp])[] = [
    [{}, 443, /^service "hook" not found$/],
    [{ Service: PLAIN }, 444, /^no service port 444 found for service "hook"$/],
    [{ Service: service({ ports: null }) }, 443, /^no service port 443 found/],
    [{ Service: PLAIN, Endpoints: endpoints(ready([{ name: 'metrics', port: 9090 }], '10.1.0.1')) }, 443, /^no endpoints available for service "hook"$/],
    [{ Service: PLAIN, Endpoints: endpoints({ addresses: null, ports: PORTS }) }, 443, /^no endpoints available/],
    ...[undefined, '', 'None'].map((clusterIP) => [{ Service: service({ clusterIP, ports: [{ port: 443 }] }) }, 443, /has neither endpoints nor a cluster IP$/] as const),
  ];
  for (const [stored, port, why] of rows) await assert.rejects(findService(storeOf(stored), 'infra', 'hook', port), ({ message }: Error) => why.test(message), String(why));
});
