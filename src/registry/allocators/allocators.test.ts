import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ApiObject } from '#api';
import { ApiError } from '#errors';
import type { ObjectStore } from '#storage';
import { ClusterIps } from './cluster-ip.ts';
import { NodePorts } from './node-port.ts';
import { Reserve } from './reserve.ts';
import type { ScarceService, ScarceSpec } from './service-needs.ts';

const service = (name: string, spec: ScarceSpec): ScarceService => ({ apiVersion: 'v1', kind: 'Service', metadata: { name, namespace: 'n' }, spec });

/** A reserve over these stored objects; only listing is asked of the store. */
function reserveOver(stored: readonly ApiObject[], range = '10.0.0.0/29', ports: readonly [number, number] = [30_000, 30_003]): Reserve {
  const objects = { list: () => Promise.resolve({ items: stored.map((object) => ({ object })), revision: 1 }) } as unknown as ObjectStore;
  return new Reserve({ clusterIps: new ClusterIps(range), nodePorts: new NodePorts(...ports) }, objects, 'services/');
}

test('ClusterIps: the first and the last address of a block are nobody\'s', () => {
  const ips = new ClusterIps('10.0.0.0/30');
  assert.match(ips.refusal('10.0.0.0') ?? '', /not in the valid range/);
  assert.match(ips.refusal('10.0.0.3') ?? '', /not in the valid range/);
  assert.match(ips.refusal('192.0.2.1') ?? '', /not in the valid range/);
  assert.deepEqual(new Set([ips.takeAny(), ips.takeAny()]), new Set(['10.0.0.1', '10.0.0.2']));
  assert.equal(ips.takeAny(), undefined);
  assert.equal(ips.refusal('10.0.0.1'), 'provided IP is already allocated');
});

test('ClusterIps: only blocks with room are taken', () => {
  for (const range of ['bad', '10.0.0.0/31', '2001:db8::/112']) assert.throws(() => new ClusterIps(range), /at least 4 addresses/);
});

test('Reserve: what is stored is taken, after a restart too', async () => {
  const reserve = reserveOver([service('a', { type: 'NodePort', clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.2'], ports: [{ port: 80, nodePort: 30_001 }] })]);
  const next = service('b', { type: 'NodePort', clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.2'], ports: [{ port: 80 }] });
  await assert.rejects(reserve.take(next, undefined, false), (cause) => cause instanceof ApiError && cause.details?.causes?.[0]?.field === 'spec.clusterIPs');
  const port = service('c', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_001 }] });
  await assert.rejects(reserve.take(port, undefined, false), (cause) => cause instanceof ApiError && cause.details?.causes?.[0]?.field === 'spec.ports[0].nodePort');
});

test('Reserve: a write that fails gives everything back, a dry-run takes nothing', async () => {
  const reserve = reserveOver([], '10.0.0.0/30', [30_000, 30_001]);
  for (let round = 0; round < 10; round++) {
    const holding = await reserve.take(service('a', { type: 'NodePort', ports: [{ port: 80 }, { port: 81 }] }), undefined, round % 2 === 0);
    holding.giveBack();
  }
  const next = service('a', { type: 'NodePort', ports: [{ port: 80 }, { port: 81 }] });
  await reserve.take(next, undefined, false);
  assert.deepEqual(new Set(next.spec.ports?.map(({ nodePort }) => nodePort)), new Set([30_000, 30_001]));
});

test('Reserve: two protocols of a port share a number', async () => {
  const next = service('a', { type: 'NodePort', ports: [{ port: 53, protocol: 'TCP' }, { port: 53, protocol: 'UDP' }] });
  await reserveOver([]).take(next, undefined, false);
  assert.equal(next.spec.ports?.[0]?.nodePort, next.spec.ports?.[1]?.nodePort);
});

type Step = { readonly is: 'create'; readonly type: string; readonly fails: boolean } | { readonly is: 'retype'; readonly type: string } | { readonly is: 'delete' };
const type = fc.constantFrom('ClusterIP', 'NodePort', 'ExternalName');
const steps = fc.array(
  fc.oneof(
    fc.record({ is: fc.constant('create' as const), type, fails: fc.boolean() }),
    fc.record({ is: fc.constant('retype' as const), type }),
    fc.record({ is: fc.constant('delete' as const) }),
  ),
  { maxLength: 40 },
);

/** What the kind's own preparation does when the type changes. */
function bare(spec: ScarceSpec, to: string): ScarceSpec {
  if (to === 'ExternalName') return { type: to };
  const { clusterIP, clusterIPs, ports } = spec;
  const kept = clusterIP === undefined || clusterIPs === undefined ? {} : { clusterIP, clusterIPs };
  return { type: to, ...kept, ports: to === 'NodePort' && ports !== undefined ? ports.map((port) => ({ ...port })) : [{ port: 80 }] };
}

test('Reserve: whatever happens, nothing is held twice and nothing is lost', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (list: readonly Step[]) => {
      const reserve = reserveOver([]);
      const alive: ScarceService[] = [];
      for (const [at, step] of list.entries()) {
        await perform(reserve, alive, step, `s${at}`);
        const ips = alive.flatMap(({ spec }) => spec.clusterIPs ?? []);
        const ports = alive.flatMap(({ spec }) => (spec.ports ?? []).flatMap(({ nodePort }) => nodePort ?? []));
        assert.equal(new Set(ips).size, ips.length);
        assert.equal(new Set(ports).size, ports.length);
      }
      for (const one of alive) await reserve.release(one, undefined);
      for (let all = 0; all < 6; all++) await reserve.take(service(`t${all}`, { type: 'ClusterIP' }), undefined, false);
    }),
    { numRuns: 200 },
  );
});

async function perform(reserve: Reserve, alive: ScarceService[], step: Step, name: string): Promise<void> {
  const [first] = alive;
  if (step.is === 'delete') {
    alive.shift();
    await reserve.release(first, undefined);
    return;
  }
  const live = step.is === 'retype' ? first : undefined;
  if (step.is === 'retype' && live === undefined) return;
  const next = service(live?.metadata.name ?? name, bare(live?.spec ?? {}, step.type));
  try {
    const holding = await reserve.take(next, live, false);
    if (step.is === 'create' && step.fails) {
      holding.giveBack();
      return;
    }
    await reserve.release(live, next);
    if (live !== undefined) alive.shift();
    alive.push(next);
  } catch (cause) {
    assert.ok(cause instanceof ApiError, String(cause));
  }
}
