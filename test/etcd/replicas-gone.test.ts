// Endpoints with loopback addresses, as no request may make them: servers that run here, and one that does not run.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AggregatedServer } from '../support/aggregated-server.ts';
import { allowing, WebhookServer } from '../support/webhook-server.ts';
import { NO_ETCD } from './etcd-process.ts';
import { putEntry } from './raw-entries.ts';
import { serverOnEtcd } from './server-on-etcd.ts';

/** Of two replicas at random, so many calls never all find the one that runs. */
const CALLS = 30;
const SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';

describe('a service of which one replica is gone, and not yet from its endpoints', { skip: NO_ETCD }, () => {
  const place = serverOnEtcd();

  async function start(name: string, port: number): Promise<Awaited<ReturnType<typeof place.restart>>> {
    const server = await place.restart({ dialect: 'kubernetes', controllers: 'none', over: 'http1', listen: {} });
    for (const [path, object] of [
      ['/api/v1/namespaces', { metadata: { name: 'infra' } }],
      ['/api/v1/namespaces/infra/services', { metadata: { name }, spec: { ports: [{ port: 443 }] } }],
    ] as const) assert.equal((await server.request('POST', path, object)).status, 201);
    const endpoints = { kind: 'Endpoints', apiVersion: 'v1', metadata: { name, namespace: 'infra', uid: 'u' }, subsets: [{ addresses: [{ ip: '127.0.0.2' }, { ip: '127.0.0.1' }], ports: [{ port }] }] };
    await putEntry(place.etcd, `/registry/services/endpoints/infra/${name}`, Buffer.from(JSON.stringify(endpoints)));
    return server;
  }

  it('R2.7-45 a webhook is called at the other one', async (t) => {
    const hook = await WebhookServer.start(['hook.infra.svc']);
    t.after(() => hook.close());
    const { caBundle } = hook.at('/', allowing());
    const server = await start('hook', hook.port);
    const clientConfig = { service: { namespace: 'infra', name: 'hook' }, caBundle };
    const rules = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }];
    const webhooks = [{ name: 'a.example.com', sideEffects: 'None', admissionReviewVersions: ['v1'], clientConfig, rules }];
    const made = await server.request('POST', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', { metadata: { name: 'hook' }, webhooks });
    assert.equal(made.status, 201, made.text);
    for (let i = 0; i < CALLS; i++) {
      const { status, text } = await server.request('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: `m${i}` } });
      assert.equal(status, 201, text);
    }
    assert.equal(hook.heard.length, CALLS);
  });

  it('a request for its API is handed to the other one', async (t) => {
    const other = await AggregatedServer.start(['backend.infra.svc']);
    t.after(() => other.close());
    const server = await start('backend', other.port);
    const watch = await server.watch(`${SERVICES}?watch=true&fieldSelector=metadata.name=v1.x.example.com`);
    const spec = { group: 'x.example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10, caBundle: other.caBundle, service: { namespace: 'infra', name: 'backend' } };
    assert.equal((await server.request('POST', SERVICES, { metadata: { name: 'v1.x.example.com' }, spec })).status, 201);
    for (let isAvailable = false; !isAvailable; ) {
      const [event] = await watch.next(1);
      isAvailable = event?.object.status?.conditions?.some(({ type, status }: { readonly type: string; readonly status: string }) => type === 'Available' && status === 'True') === true;
    }
    await watch.stop();
    for (let i = 0; i < CALLS; i++) {
      const { status, text } = await server.request('POST', '/apis/x.example.com/v1/things', { number: i });
      assert.equal(status, 201, text);
    }
    assert.deepEqual(other.proxied.map(({ body }) => body), Array.from({ length: CALLS }, (_, i) => `{"number":${i}}`));
  });
});
