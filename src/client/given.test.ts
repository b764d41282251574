import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMap, Namespace } from '#kinds';
import { createClient } from './client.ts';
import { runControllers } from './controller.ts';
import { exchangeHttp } from './exchange-http.ts';
import { exchangeLocal } from './exchange-local.ts';
import { runForLeader } from './leader-election.ts';

/** As plain JavaScript sees the client: nothing says what may be given. */
// oxlint-disable-next-line typescript/no-explicit-any -- every line here is one that does not compile otherwise
type Any = any;

const client = createClient(exchangeLocal(() => assert.fail('nothing wrong is to be asked for')));
const [maps, namespaces, any]: readonly [Any, Any, Any] = [client.of(ConfigMap), client.of(Namespace), client];
const run: Any = runControllers;
const lead: Any = runForLeader;
const controller = { name: 'c', watches: ConfigMap, reconcile: async () => undefined };
const lease = { namespace: 'default', name: 'l' };
const signal = new AbortController().signal;

const KEY = "a key such as { namespace: 'default', name: 'a' }";
const OBJECT = "an object with its metadata, such as { metadata: { namespace: 'default', name: 'a' } }";

const MISTAKES: readonly (readonly [said: string, mistake: () => unknown])[] = [
  [`get takes ${KEY}, not "a"`, () => maps.get('a')],
  [`get takes ${KEY}, not "default"`, () => maps.get('default', 'a')],
  [`find takes ${KEY}, not undefined`, () => maps.find()],
  [`delete takes ${KEY}, not an object`, () => maps.delete({ namespace: 'default' })],
  ["get takes a key such as { name: 'a' }, not 5", () => namespaces.get(5)],
  ['ConfigMap "a": which namespace?', () => maps.get({ name: 'a' })],
  ['ConfigMap "a": which namespace?', () => maps.create({ metadata: { name: 'a' } })],
  [`create takes ${OBJECT}, not an object`, () => maps.create({ data: {} })],
  [`create takes ${OBJECT}, not "default"`, () => maps.create('default', { metadata: { name: 'a' } })],
  [`update takes ${OBJECT}, not undefined`, () => maps.update()],
  ['option dryRun of create takes true or false, not "All"', () => maps.create({ metadata: lease }, { dryRun: 'All' })],
  ['the form of patch takes one of json, merge, strategic, apply, not an object', () => maps.patch(lease, { data: {} })],
  ['patch has no option fieldmanager; did you mean fieldManager?', () => maps.patch(lease, 'apply', {}, { fieldmanager: 'me' })],
  ['list takes options, an object with namespace, labelSelector, fieldSelector, signal, resourceVersion, limit, not "default"', () => maps.list('default')],
  ['list has no option labelselector; did you mean labelSelector?', () => maps.list({ labelselector: 'app=shop' })],
  ['option labelSelector of list takes a text, not an object', () => maps.list({ labelSelector: { app: 'shop' } })],
  ['deleteCollection has no option labelSelectors; did you mean labelSelector?', () => maps.deleteCollection({ namespace: 'default', labelSelectors: 'app=shop' })],
  ['option propagation of delete takes a text, not null', () => maps.delete(lease, { propagation: null })],
  ['option bookmarks of watch takes true or false, not "true"', () => maps.watch({ bookmarks: 'true' })],
  ['of takes a kind as those of orch/kinds, not "configmaps"', () => any.of('configmaps')],
  ['at takes a resource with group, version, plural, kind and isNamespaced, as discover() finds it, not an object', () => any.at({ apiVersion: 'v1', kind: 'ConfigMap' })],
  ["ask takes a request such as { method: 'GET', path: '/version' }, not \"/version\"", () => any.ask('/version')],
  ['body of ask takes a text, such as JSON.stringify makes, or bytes, not an object', () => any.ask({ method: 'POST', path: '/api/v1/namespaces', body: {} })],
  ['createClient takes an exchange, as exchangeLocal(server.exchange), exchangeHttp(connection) or await exchangeKubeconfig(path) give it, not a Promise', () => (createClient as Any)(Promise.resolve())],
  ['option dialect of createClient takes one of orch, kubernetes, not "k8s"', () => (createClient as Any)(exchangeLocal(() => assert.fail()), { dialect: 'k8s' })],
  ['exchangeLocal takes a function, server.exchange, not an object', () => (exchangeLocal as Any)({})],
  ['exchangeLocal takes headers by name, such as { authorization: `Bearer ${token}` }, not "Bearer secret"', () => (exchangeLocal as Any)(() => assert.fail(), 'Bearer secret')],
  ['exchangeLocal takes headers by name, such as { authorization: `Bearer ${token}` }, not a Headers', () => (exchangeLocal as Any)(() => assert.fail(), new Headers())],
  ["exchangeHttp takes a connection such as { server: 'https://127.0.0.1:6443', isVerified: true, namespace: 'default' }, not \"https://a\"", () => (exchangeHttp as Any)('https://a')],
  ['server of exchangeHttp takes an address such as https://127.0.0.1:6443, not "localhost:6443"', () => (exchangeHttp as Any)({ server: 'localhost:6443' })],
  ['runControllers takes a list of controllers, not an object', () => run(controller, { client })],
  ['option client of runControllers takes a client, as createClient makes it, not undefined', () => run([controller], {})],
  ['watches of controller c takes a kind as those of orch/kinds, not undefined', () => run([{ ...controller, watches: undefined }], { client })],
  ['reconcile of controller c takes a function, not undefined', () => run([{ ...controller, reconcile: undefined }], { client })],
  ['option lease of runForLeader takes an object, not "l"', () => lead({ client, lease: 'l', identity: 'me', signal }, () => assert.fail())],
  ['option identity of runForLeader takes a text, not undefined', () => lead({ client, lease, signal }, () => assert.fail())],
  ['option signal of runForLeader takes an AbortSignal, which ends the candidacy, not undefined', () => lead({ client, lease, identity: 'me' }, () => assert.fail())],
];

for (const [message, mistake] of MISTAKES) {
  test(`the client says of a mistake in plain JavaScript: ${message}`, async () => {
    // What gives a promise rejects it, and throws nothing beside it.
    await assert.rejects(async () => mistake(), { message });
  });
}

test('what gives a promise says by it what is wrong', async () => {
  for (const wrong of [maps.get('a'), maps.find('a'), maps.list('a'), maps.create(), maps.update(), maps.updateStatus(), maps.patch(), maps.delete(), maps.deleteCollection('a'), maps.watch('a'), maps.watchBatches('a')]) {
    await assert.rejects(wrong, TypeError);
  }
});
