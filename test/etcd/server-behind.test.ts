// What a server admits that has not heard of the latest changes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestServer, type TestJson, type TestServer, type TestWatch } from '#testing';
import { established } from '../support/definitions.ts';
import { EtcdProcess, NO_ETCD } from './etcd-process.ts';
import { entriesOf } from './raw-entries.ts';
import { StreamProxy, WATCH } from './stream-proxy.ts';

const DEFINITIONS = '/apis/apiextensions.orch.io/v1/customresourcedefinitions';
const FOOS = '/apis/example.com/v1/foos';
const NAME = 'foos.example.com';
const VERSION = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
const SPEC = { group: 'example.com', scope: 'Cluster', names: { plural: 'foos', kind: 'Foo' }, versions: [VERSION] };

async function untilDeleted(watch: TestWatch): Promise<void> {
  let event: TestJson;
  do [event] = await watch.next(1);
  while (event.type !== 'DELETED');
  await watch.stop();
}

interface Servers {
  readonly etcd: EtcdProcess;
  readonly near: TestServer;
  readonly behind: TestServer;
  /** From now on `behind` hears of no change. */
  fallSilent(): void;
  /** The same until the function that it returns is called. */
  holdBack(): () => void;
}

async function withServers(run: (servers: Servers) => Promise<void>): Promise<void> {
  const etcd = await EtcdProcess.start();
  const proxy = await StreamProxy.to(etcd.address);
  const near = await startTestServer({ store: `etcd://${etcd.address}`, controllers: 'none' });
  let isSilent = false;
  let kept: (() => void)[] | undefined;
  proxy.fate = (path) =>
    path !== WATCH
      ? undefined
      : {
          answer: (piece, stream) => {
            kept?.push(() => void stream.write(piece));
            return isSilent || kept !== undefined ? undefined : piece;
          },
        };
  const holdBack = (): (() => void) => {
    const held: (() => void)[] = (kept = []);
    return () => {
      kept = undefined;
      for (const pass of held) pass();
    };
  };
  const behind = await startTestServer({ store: `etcd://${proxy.address}`, controllers: 'none' });
  await run({ etcd, near, behind, holdBack, fallSilent: () => void (isSilent = true) });
  await behind.close();
  await near.close();
  await proxy.close();
  await etcd.remove();
}

const keysIn = async (etcd: EtcdProcess, place: string): Promise<readonly string[]> => [...(await entriesOf(etcd)).keys()].filter((key) => key.includes(place));

test('a server that has not heard that a definition goes makes none of its objects any more', { skip: NO_ETCD }, () =>
  withServers(async ({ etcd, near, behind, fallSilent }) => {
    const make = (name: string) => behind.request('POST', FOOS, { apiVersion: 'example.com/v1', kind: 'Foo', metadata: { name } });
    assert.equal((await near.request('POST', DEFINITIONS, { metadata: { name: NAME }, spec: SPEC })).status, 201);
    await established(behind, `${DEFINITIONS}/${NAME}`);
    assert.equal((await make('early')).status, 201);

    fallSilent();
    assert.equal((await near.patch('merge', `${DEFINITIONS}/${NAME}`, { metadata: { labels: { seen: 'elsewhere' } } })).status, 200);
    assert.equal((await make('under-the-new-one')).status, 201, 'a definition that has only changed stands');
    const watch = await near.watch(`${DEFINITIONS}?watch=1`);
    assert.equal((await near.request('DELETE', `${DEFINITIONS}/${NAME}`)).status, 200);
    await untilDeleted(watch);
    const late = await make('late');
    assert.equal(late.status, 404, late.text);
    assert.deepEqual(await keysIn(etcd, '/example.com/foos/'), []);
  }));

test('a server that has not heard that a namespace goes, or is there, takes that from the store', { skip: NO_ETCD }, () =>
  withServers(async ({ etcd, near, behind, fallSilent }) => {
    const make = async (namespace: string) => (await behind.request('POST', `/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name: 'a' } })).status;
    assert.equal((await near.request('POST', '/api/v1/namespaces', { metadata: { name: 'n' } })).status, 201);
    assert.equal(await make('n'), 201);

    fallSilent();
    assert.equal((await near.request('DELETE', '/api/v1/namespaces/n/configmaps/a')).status, 200);
    assert.equal((await near.patch('merge', '/api/v1/namespaces/n', { metadata: { labels: { a: 'b' } } })).status, 200);
    assert.equal(await make('n'), 201, 'a namespace that has only changed stands');
    assert.equal((await near.request('DELETE', '/api/v1/namespaces/n/configmaps/a')).status, 200);
    assert.equal((await near.request('DELETE', '/api/v1/namespaces/n')).status, 200);
    assert.equal(await make('n'), 403);
    assert.equal((await near.request('PUT', '/api/v1/namespaces/n/finalize', { metadata: { name: 'n' }, spec: {} })).status, 200);
    assert.equal(await make('n'), 404);
    assert.deepEqual(await keysIn(etcd, '/configmaps/n/'), []);
    assert.equal((await near.request('POST', '/api/v1/namespaces', { metadata: { name: 'new' } })).status, 201);
    assert.equal(await make('new'), 201);
  }));

test('a server that has not heard of the first limits or the first quota of a namespace takes them from the store', { skip: NO_ETCD }, () =>
  withServers(async ({ near, behind, fallSilent }) => {
    const make = async (path: string, object: object): Promise<void> => {
      const made = await near.request('POST', path, object);
      assert.equal(made.status, 201, made.text);
    };
    await make('/api/v1/namespaces', { metadata: { name: 'n' } });
    await make('/api/v1/namespaces/n/serviceaccounts', { metadata: { name: 'default' } });

    fallSilent();
    await make('/api/v1/namespaces/n/limitranges', { metadata: { name: 'l' }, spec: { limits: [{ type: 'Container', default: { cpu: '1' }, max: { cpu: '2' } }] } });
    await make('/api/v1/namespaces/n/resourcequotas', { metadata: { name: 'q' }, spec: { hard: { configmaps: '0' } } });
    const counted = { hard: { configmaps: '0' }, used: { configmaps: '0' } };
    assert.equal((await near.patch('merge', '/api/v1/namespaces/n/resourcequotas/q/status', { status: counted })).status, 200);

    const pod = (cpu?: string): object => ({ metadata: { generateName: 'p-' }, spec: { containers: [{ name: 'c', image: 'i', ...(cpu === undefined ? {} : { resources: { limits: { cpu } } }) }] } });
    const [filled, refused] = await Promise.all([pod(), pod('3')].map((one) => behind.request('POST', '/api/v1/namespaces/n/pods', one)));
    assert.equal(filled?.body.spec?.containers[0].resources.limits?.cpu, '1', filled?.text);
    assert.deepEqual([refused?.status, refused?.body.reason], [403, 'Forbidden'], refused?.text);
    const beyond = await behind.request('POST', '/api/v1/namespaces/n/configmaps', { metadata: { name: 'a' } });
    assert.equal(beyond.body.message, 'configmaps "a" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=0, limited: configmaps=0');
  }));

test('a definition claims its names before it is established: other servers may claim them in the same moment', { skip: NO_ETCD }, () =>
  withServers(async ({ near }) => {
    const watch = await near.watch(`${DEFINITIONS}?watch=1`);
    assert.equal((await near.request('POST', DEFINITIONS, { metadata: { name: NAME }, spec: SPEC })).status, 201);
    const reasons = new Set<string>();
    while (!reasons.has('InitialNamesAccepted')) {
      const [event] = await watch.next(1);
      for (const { type, reason } of event.object.status?.conditions ?? []) if (type === 'Established') reasons.add(reason);
    }
    assert.deepEqual([...reasons], ['Installing', 'InitialNamesAccepted']);
    await watch.stop();
  }));

test('a server that has not heard of a definition yet serves its objects as soon as it has, where they are asked for', { skip: NO_ETCD }, () =>
  withServers(async ({ near, behind, holdBack }) => {
    const goOn = holdBack();
    assert.equal((await near.request('POST', DEFINITIONS, { metadata: { name: NAME }, spec: SPEC })).status, 201);
    await established(near, `${DEFINITIONS}/${NAME}`);
    const asked = behind.request('GET', FOOS);
    assert.equal((await behind.request('GET', '/version')).status, 200);
    goOn();
    assert.equal((await asked).status, 200);
    assert.equal((await behind.request('GET', '/apis/example.com/v1/bars')).status, 404);
  }));
