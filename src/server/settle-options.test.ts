import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerOptions } from './options.ts';
import { settle } from './settle-options.ts';

test('one of several servers is elected where others may write to the store, unless it is said otherwise', () => {
  const rows: readonly (readonly [options: ServerOptions, isElected: boolean])[] = [
    [{}, false],
    [{ store: 'memory://' }, false],
    [{ store: 'lmdb://data' }, false],
    [{ store: 'sqlite://data' }, false],
    [{ store: 'lmdb://data', isStoreShared: true }, true],
    [{ store: 'etcd://127.0.0.1:2379' }, true],
    [{ store: 'etcd://127.0.0.1:2379', leaderElection: false }, false],
    [{ leaderElection: true }, true],
  ];
  for (const [options, isElected] of rows) assert.equal(settle(options).leaderElection, isElected, JSON.stringify(options));
});

test('nobody is anonymous where everybody may do everything', () => {
  const rows: readonly (readonly [options: ServerOptions, isAnonymous: boolean])[] = [
    [{}, true],
    [{ anonymous: false }, false],
    [{ authorization: { modes: ['AlwaysAllow'] } }, false],
    [{ anonymous: true, authorization: { modes: ['AlwaysAllow'] } }, false],
    [{ authorization: { modes: ['RBAC', 'AlwaysAllow'] } }, false],
    [{ authorization: { modes: ['Node', 'RBAC'] } }, true],
  ];
  for (const [options, isAnonymous] of rows) assert.equal(settle(options).anonymous, isAnonymous, JSON.stringify(options));
});

const RECIPE = { group: 'example', kind: 'Recipe', plural: 'recipes', scope: 'Cluster', versions: { v1: { schema: () => {} } }, storage: 'v1' } as const;

/** As programs in plain JavaScript give them. */
const MISTAKES: readonly (readonly [options: unknown, message: string])[] = [
  [{ dialect: 'klingon' }, 'option dialect is one of orch, kubernetes, not "klingon"'],
  [{ store: 5 }, 'option store is a text, not 5'],
  [{ store: null }, 'option store is a text, not null'],
  [{ historyMinutes: 5 }, 'there is no option historyMinutes; did you mean historySeconds?'],
  [{ logger: console }, 'there is no option logger; did you mean log?'],
  [{ listen: { port: 99_999 } }, 'option listen.port is a whole number from 0 to 65535, not 99999'],
  [{ listen: { port: '80' } }, 'option listen.port is a whole number from 0 to 65535, not "80"'],
  [{ listen: { prot: 80 } }, 'there is no option listen.prot; did you mean listen.port?'],
  [{ listen: true }, 'option listen is false or an object with host, port, tls, not true'],
  [{ listen: { tls: {} } }, 'option listen.tls.cert is missing: it is a text'],
  [{ insecureListen: { port: Number.NaN } }, 'option insecureListen.port is a whole number from 0 to 65535, not NaN'],
  [{ tokens: ['secret,admin,admin'] }, 'option tokens is a text, not a list'],
  [{ anonymous: 'no' }, 'option anonymous is true or false, not "no"'],
  [{ authorization: 'RBAC' }, 'option authorization is an object with modes, policy, webhook, authorizers, not "RBAC"'],
  [{ authorization: { modes: 'RBAC' } }, 'option authorization.modes is a list, each item a text, not "RBAC"'],
  [{ admission: { enable: ['NodeRestriction', 5] } }, 'option admission.enable[1] is a text, not 5'],
  [{ admission: { plugins: ['Teams'] } }, 'option admission.plugins[0] is a plugin as definePlugin returns it, not "Teams"'],
  [{ admission: { plugins: [{ name: 'Teams', band: 'builtin', create: () => ({ on: [] }) }] } }, 'option admission.plugins[0].enabled is missing: it is true or false'],
  [{ admission: { plugins: [{ name: 'Teams', enabled: true, band: 'first', create: () => ({ on: [] }) }] } }, 'option admission.plugins[0].band is one of builtin, webhook, quota, final, not "first"'],
  [{ audit: {} }, 'option audit.policy is missing: it is a text'],
  [{ controllers: false }, 'option controllers is a text, not false'],
  [{ kinds: [undefined] }, 'option kinds[0] is a kind as defineKind returns it, not undefined'],
  [{ kinds: [{ group: 'example', kind: 'Recipe', plural: 'recipes', versions: {}, storage: 'v1' }] }, 'option kinds[0].scope is missing: it is one of Namespaced, Cluster'],
  [{ kinds: [{ group: 'example', kind: 'Recipe', plural: 'recipes', scope: 'namespaced', versions: {}, storage: 'v1' }] }, 'option kinds[0].scope is one of Namespaced, Cluster, not "namespaced"'],
  [{ kinds: [{ group: 'example', kind: 'Recipe', plural: 'recipes', scope: 'Cluster', versions: { v1: {} }, storage: 'v1' }] }, 'option kinds[0].versions.v1.schema is missing: it is a function'],
  [{ kinds: [{ ...RECIPE, plural: 'Recipes' }] }, 'option kinds[0].plural is the plural of a kind, in lower case, not "Recipes"'],
  [{ kinds: [{ ...RECIPE, group: 'example/v1' }] }, 'option kinds[0].group is the name of an API group, in lower case, not "example/v1"'],
  [{ kinds: [{ ...RECIPE, kind: 'My Recipe' }] }, 'option kinds[0].kind is the name of a kind, letters, digits and dashes, not "My Recipe"'],
  [{ kinds: [{ ...RECIPE, allocating: {} }] }, 'option kinds[0].allocating is absent, because all addresses and ports of the cluster belong to services, not an object'],
  [{ kinds: [{ ...RECIPE, verbs: ['read'] }] }, 'option kinds[0].verbs[0] is one of create, delete, deletecollection, get, list, patch, update, watch, not "read"'],
  [{ kinds: [{ ...RECIPE, subresources: { status: {} } }] }, 'option kinds[0].subresources.status.verbs is missing: it is a list, each item one of create, delete, deletecollection, get, list, patch, update, watch'],
  [{ kinds: [{ ...RECIPE, columns: [{ name: 'Cook', type: 'string' }] }] }, 'option kinds[0].columns[0].cell is missing: it is a function'],
  [{ features: { ServerSideApply: true } }, 'option features is a Map, each value true or false, not an object'],
  [{ features: new Map([['ServerSideAply', true]]) }, 'there is no option features.ServerSideAply; did you mean features.ServerSideApply?'],
  [{ serving: { requestTimeoutMs: 0 } }, 'option serving.requestTimeoutMs is a number of milliseconds above 0, not 0'],
  [{ services: { nodePorts: [1] } }, 'option services.nodePorts is a list of two, each a number from 0 on, not a list'],
  [{ historySeconds: -1 }, 'option historySeconds is a number of seconds from 0 on, not -1'],
  [{ storageFormat: 'xml' }, 'option storageFormat is one of json, protobuf, not "xml"'],
  [{ flowControl: { maxReading: -1 } }, 'option flowControl.maxReading is a whole number from 0 on, not -1'],
  [{ shutdownGraceMs: '10s' }, 'option shutdownGraceMs is a number of milliseconds from 0 on, not "10s"'],
  [{ clock: {} }, 'option clock is a clock with the functions nowMs, after, not an object'],
  [{ rootCa: 5n }, 'option rootCa is a text, not 5'],
  [{ encryption: Symbol('key') }, 'option encryption is a text, not Symbol(key)'],
  [{ authentication: { serviceAccounts: { issuers: 'https://a-name-that-is-as-long-as-a-key-may-be.example' } } }, 'option authentication.serviceAccounts.issuers is a list, each item a text, not a longer text'],
];

for (const [options, message] of MISTAKES) {
  test(`refused: ${message}`, () => {
    assert.throws(() => settle(options as ServerOptions), { name: 'Error', message });
  });
}

test('an option that is like no other is told with all that there are', () => {
  assert.throws(() => settle({ port: 8080 } as ServerOptions), /^Error: there is no option port; there are dialect, store, listen, .*, log$/);
});

test('what a server is started with is an object', () => {
  for (const options of [null, 5, 'memory://', []]) assert.throws(() => settle(options as never), /^Error: what a server is started with is an object with dialect, store, listen, .*, not /);
});

test('an option that is undefined has its default, times may have no end, and logs may be of a class', () => {
  const settled = settle({ store: undefined, shutdownGraceMs: Infinity, log: console } as unknown as ServerOptions);
  assert.deepEqual([settled.store, settled.shutdownGraceMs], ['memory://', Infinity]);
});
