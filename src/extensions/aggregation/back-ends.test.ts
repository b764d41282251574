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

test('a server is called at the service that it names, at the port of HTTPS where it names none', async () => {
  assert.deepEqual((await backEndsOf(SERVICE)).leadTo(elsewhere()), { addresses: [{ host: '10.0.0.9', port: 443 }] });
  assert.deepEqual((await backEndsOf(SERVICE)).leadTo(elsewhere(80)), { addresses: [{ host: '10.0.0.9', port: 80 }] });
});

test('every change of a service or its endpoints is told, and what is gone leads nowhere', async () => {
  const followers = new Map<string, Follower>();
  const follow: ObjectAccess['follow'] = async ({ kind }, follower) => void followers.set(kind, follower);
  const told: string[] = [];
  const backEnds = new BackEnds();
  await backEnds.follow({ follow } as ObjectAccess, (namespace, name) => told.push(`${namespace}/${name}`), new AbortController().signal);
  const metadata = { namespace: 'n', name: 's' };
  const endpoints = { metadata, subsets: [subset([{ name: 'b', port: 8443 }], '10.1.0.1')] };
  const seen = (): readonly unknown[] => {
    const lead = backEnds.leadTo(elsewhere());
    return [told.splice(0), 'nowhere' in lead ? lead.nowhere : lead.addresses[0], backEnds.hindranceOf(elsewhere())?.reason];
  };
  followers.get('Service')?.put({ metadata, ...SERVICE } as never);
  assert.deepEqual(seen(), [['n/s'], { host: '10.0.0.9', port: 443 }, 'EndpointsNotFound']);
  followers.get('Endpoints')?.put(endpoints as never);
  assert.deepEqual(seen(), [['n/s'], { host: '10.1.0.1', port: 8443 }, undefined]);
  followers.get('Endpoints')?.remove(metadata, undefined);
  assert.deepEqual(seen(), [['n/s'], { host: '10.0.0.9', port: 443 }, 'EndpointsNotFound']);
  followers.get('Service')?.remove(metadata, undefined);
  assert.deepEqual(seen(), [['n/s'], 'service "s" not found', 'ServiceNotFound']);
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
  assert.deepEqual(backEnds.leadTo(elsewhere()), { nowhere: 'service "s" not found' }, 'it may be gone since');
  assert.deepEqual(signals.map(({ aborted }) => aborted), [false, false]);
  end.abort();
  assert.deepEqual(signals.map(({ aborted }) => aborted), [true, true]);
});

test('a service with ready endpoints has no hindrance, whatever its type is', async () => {
  const endpoints = { subsets: [subset([{ name: 'b', port: 8443 }], '10.1.0.1')] };
  assert.equal((await backEndsOf(SERVICE, endpoints)).hindranceOf(elsewhere(443)), undefined);
  assert.equal((await backEndsOf(SERVICE, endpoints)).hindranceOf(elsewhere(80))?.reason, 'MissingEndpoints');
  assert.equal((await backEndsOf({ spec: { type: 'NodePort', ports: [] } })).hindranceOf(elsewhere()), undefined);
});
