import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Follower, ObjectAccess } from '#api';
import type { Elsewhere } from './api-service.ts';
import { BackEnds } from './back-ends.ts';

/** What two objects called `s` in `n` make of it. */
async function backEndsOf(service: object | undefined, endpoints?: object): Promise<BackEnds> {
  const stored: Readonly<Record<string, object | undefined>> = { Service: service, Endpoints: endpoints };
  const follow: ObjectAccess['follow'] = ({ kind }, { put }: Follower) => {
    const object = stored[kind];
    if (object !== undefined) put({ metadata: { namespace: 'n', name: 's' }, ...object } as never);
    return Promise.resolve();
  };
  const backEnds = new BackEnds();
  await backEnds.follow({ follow } as ObjectAccess, () => {}, new AbortController().signal);
  return backEnds;
}

const elsewhere = (port?: number): Elsewhere => ({ spec: { service: { namespace: 'n', name: 's', ...(port === undefined ? {} : { port }) } } }) as Elsewhere;
const SERVICE = { spec: { type: 'ClusterIP', clusterIP: '10.0.0.9', ports: [{ name: 'a', port: 80 }, { name: 'b', port: 443 }] } };
const subset = (ports: readonly object[], ...ips: readonly string[]): object => ({ addresses: ips.map((ip) => ({ ip })), ports });

const ADDRESSES: readonly (readonly [title: string, service: object | undefined, endpoints: object | undefined, address: object | undefined])[] = [
  ['no service', undefined, undefined, undefined],
  ['no endpoints', SERVICE, undefined, { host: '10.0.0.9', port: 443 }],
  ['endpoints of another port', SERVICE, { subsets: [subset([{ name: 'a', port: 8080 }], '10.1.0.1')] }, { host: '10.0.0.9', port: 443 }],
  ['a ready endpoint', SERVICE, { subsets: [subset([{ name: 'b', port: 8443 }], '10.1.0.1')] }, { host: '10.1.0.1', port: 8443 }],
  ['nobody ready', SERVICE, { subsets: [{ notReadyAddresses: [{ ip: '10.1.0.1' }], ports: [{ name: 'b', port: 8443 }] }] }, { host: '10.0.0.9', port: 443 }],
  ['without an address', { spec: { ...SERVICE.spec, clusterIP: 'None' } }, undefined, undefined],
  ['at no address', { spec: { ...SERVICE.spec, clusterIP: '' } }, undefined, undefined],
  ['a name elsewhere that is not said', { spec: { type: 'ExternalName' } }, undefined, undefined],
  ['another port', { spec: { ...SERVICE.spec, ports: [{ port: 1 }] } }, undefined, undefined],
  ['a name elsewhere', { spec: { type: 'ExternalName', externalName: 'x.example' } }, undefined, { host: 'x.example', port: 443 }],
];

for (const [title, service, endpoints, address] of ADDRESSES) {
  test(`where a server is called: ${title}`, async () => assert.deepEqual((await backEndsOf(service, endpoints)).addressesOf(elsewhere()), address === undefined ? [] : [address]));
}

test('every change of a service or its endpoints is told, and what is gone leads nowhere', async () => {
  const followers = new Map<string, Follower>();
  const follow: ObjectAccess['follow'] = async ({ kind }, follower) => void followers.set(kind, follower);
  const told: string[] = [];
  const backEnds = new BackEnds();
  await backEnds.follow({ follow } as ObjectAccess, (namespace, name) => told.push(`${namespace}/${name}`), new AbortController().signal);
  const metadata = { namespace: 'n', name: 's' };
  const endpoints = { metadata, subsets: [subset([{ name: 'b', port: 8443 }], '10.1.0.1')] };
  const seen = (): readonly unknown[] => [told.splice(0), backEnds.addressesOf(elsewhere())[0], backEnds.hindranceOf(elsewhere())?.reason];
  followers.get('Service')?.put({ metadata, ...SERVICE } as never);
  assert.deepEqual(seen(), [['n/s'], { host: '10.0.0.9', port: 443 }, 'EndpointsNotFound']);
  followers.get('Endpoints')?.put(endpoints as never);
  assert.deepEqual(seen(), [['n/s'], { host: '10.1.0.1', port: 8443 }, undefined]);
  followers.get('Endpoints')?.remove(metadata, undefined);
  assert.deepEqual(seen(), [['n/s'], { host: '10.0.0.9', port: 443 }, 'EndpointsNotFound']);
  followers.get('Service')?.remove(metadata, undefined);
  assert.deepEqual(seen(), [['n/s'], undefined, 'ServiceNotFound']);
});

test('where one of the two cannot be followed, neither is, and whoever tries again begins anew', async () => {
  const signals: AbortSignal[] = [];
  let isBroken = true;
  const follow: ObjectAccess['follow'] = async ({ kind }, { put }, signal) => {
    signals.push(signal);
    if (kind === 'Endpoints' && isBroken) throw new Error('not now');
    if (isBroken) put({ metadata: { namespace: 'n', name: 's' }, ...SERVICE } as never);
  };
  const backEnds = new BackEnds();
  const end = new AbortController();
  const tried = (): Promise<void> => backEnds.follow({ follow } as ObjectAccess, () => {}, end.signal);
  await assert.rejects(tried, /not now/);
  assert.deepEqual(signals.splice(0).map(({ aborted }) => aborted), [true, true]);
  isBroken = false;
  await tried();
  assert.deepEqual(backEnds.addressesOf(elsewhere()), [], 'it may be gone since');
  assert.deepEqual(signals.map(({ aborted }) => aborted), [false, false]);
  end.abort();
  assert.deepEqual(signals.map(({ aborted }) => aborted), [true, true]);
});

test('of several ready endpoints each is called first', async () => {
  const backEnds = await backEndsOf(SERVICE, { subsets: [subset([{ name: 'b', port: 8443 }], '10.1.0.1', '10.1.0.2', '10.1.0.3')] });
  const hosts = new Set(Array.from({ length: 200 }, () => backEnds.addressesOf(elsewhere())[0]?.host ?? ''));
  assert.deepEqual([...hosts].sort(), ['10.1.0.1', '10.1.0.2', '10.1.0.3']);
});

test('a service with ready endpoints has no hindrance, whatever its type is', async () => {
  const endpoints = { subsets: [subset([{ name: 'b', port: 8443 }], '10.1.0.1')] };
  assert.equal((await backEndsOf(SERVICE, endpoints)).hindranceOf(elsewhere(443)), undefined);
  assert.equal((await backEndsOf(SERVICE, endpoints)).hindranceOf(elsewhere(80))?.reason, 'MissingEndpoints');
  assert.equal((await backEndsOf({ spec: { type: 'NodePort', ports: [] } })).hindranceOf(elsewhere()), undefined);
});
