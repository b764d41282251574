import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { APIGroup, APIVersions, brandOf, createCatalog, defineKind, type Catalog, type Dialect } from '#api';
import { createProtobufCodec, parseYaml } from '#codec';
import { ApiError } from '#errors';
import { allKinds } from '#kinds';
import type { Reply } from '#request';
import { t } from '#schema';
import { createDiscovery } from './discovery.ts';
import type { PlacedVersion } from './groups.ts';
import { createOpenapi } from './openapi.ts';
import type { ResourceEntry } from './resources.ts';

interface Group {
  readonly name: string;
  readonly versions: readonly { readonly version: string }[];
}
interface Recorded {
  readonly groups: readonly Group[];
  readonly resources: Readonly<Record<string, readonly ResourceEntry[]>>;
}
const golden = new URL('../../test/golden/discovery.json.br', import.meta.url);
const recorded = JSON.parse(brotliDecompressSync(readFileSync(golden)).toString()) as Recorded;

const catalogOf = (dialect: Dialect): Catalog => createCatalog(allKinds, brandOf(dialect));

interface Asked {
  readonly dialect?: Dialect;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function ask(path: string, { dialect = 'kubernetes', method = 'GET', headers = {} }: Asked = {}): Reply | undefined {
  const received = new Map(Object.entries({ host: 'api.example:6443', ...headers }).map(([name, value]) => [name, [value]]));
  return createDiscovery(catalogOf(dialect))({ method, info: { path }, query: new URLSearchParams(), headers: received });
}

function bytesOf(reply: Reply | undefined): Uint8Array {
  assert.ok(reply !== undefined && 'body' in reply && reply.body instanceof Uint8Array);
  return reply.body;
}

const read = (path: string, asked?: Asked): unknown => JSON.parse(Buffer.from(bytesOf(ask(path, asked))).toString());

const isFailure =
  (reason: string) =>
  (error: unknown): boolean =>
    error instanceof ApiError && error.reason === reason;

const sorted = (resources: readonly ResourceEntry[]): readonly ResourceEntry[] =>
  resources.map((resource) => ({ ...resource, verbs: [...resource.verbs].sort() })).sort((a, b) => (a.name < b.name ? -1 : 1));

test('R4.3-26 every resource of every version is listed as recorded, and no others', () => {
  const paths = Object.keys(recorded.resources);
  assert.ok(paths.length > 25);
  for (const path of paths) {
    const { resources } = read(path) as { readonly resources: readonly ResourceEntry[] };
    const expected = sorted(recorded.resources[path] ?? []);
    // Some of the recorded ones do not say in which version they are stored.
    const isHashed = new Set(expected.filter(({ storageVersionHash }) => storageVersionHash !== undefined).map(({ name }) => name));
    const comparable = sorted(resources).map(({ storageVersionHash, ...rest }) => (isHashed.has(rest.name) ? { ...rest, storageVersionHash } : rest));
    assert.deepEqual(comparable, expected, path);
  }
});

test('R4.3-26 groups are listed in the recorded order, with their versions and the preferred one', () => {
  const { groups } = read('/apis') as { readonly groups: readonly Group[] };
  assert.deepEqual(groups, recorded.groups);
  for (const group of groups) assert.deepEqual(read(`/apis/${group.name}`), { kind: 'APIGroup', apiVersion: 'v1', ...group });
});

test('versions of custom groups are ordered by maturity, then by age', () => {
  class Body extends t.message('example/v1.Thing', {}) {}
  const versions = Object.fromEntries(['v1alpha1', 'v2', 'v1beta2', 'v10', 'v1beta10', 'odd', 'v1'].map((version) => [version, { schema: Body }]));
  const thing = defineKind(Body, { group: 'a', kind: 'Thing', plural: 'things', singular: 'thing', scope: 'Cluster', versions, storage: 'v1' });
  const discovery = createDiscovery(createCatalog([thing], brandOf('orch')));
  const reply = discovery({ method: 'GET', info: { path: '/apis/a.orch.io' }, query: new URLSearchParams(), headers: new Map() });
  const document = JSON.parse(Buffer.from(bytesOf(reply)).toString()) as Group;
  assert.deepEqual(
    document.versions.map(({ version }) => version),
    ['v10', 'v2', 'v1', 'v1beta10', 'v1beta2', 'v1alpha1', 'odd'],
  );
});

test('no hash is published of a storage version that nobody can read', () => {
  class Body extends t.message('example/v1.Thing', {}) {}
  const facts = { group: 'a.example.com', isCustom: true, kind: 'Thing', plural: 'things', scope: 'Cluster', versions: { v2: { schema: Body } }, storage: 'v2' } as const;
  const hashes = ['v1', null].map((knownStorage) => {
    const discovery = createDiscovery(createCatalog([defineKind(Body, { ...facts, knownStorage })], brandOf('orch')));
    const reply = discovery({ method: 'GET', info: { path: '/apis/a.example.com/v2' }, query: new URLSearchParams(), headers: new Map() });
    const { resources } = JSON.parse(Buffer.from(bytesOf(reply)).toString()) as { readonly resources: readonly { readonly storageVersionHash?: string }[] };
    return typeof resources[0]?.storageVersionHash;
  });
  assert.deepEqual(hashes, ['string', 'undefined']);
});

test('groups without a place of their own stand in the order of version and name, in which their APIServices do', () => {
  class Body extends t.message('example/v1.Thing', {}) {}
  const thing = (group: string, version: string): ReturnType<typeof defineKind<object>> =>
    defineKind(Body, { group, isCustom: true, kind: 'Thing', plural: 'things', singular: 'thing', scope: 'Cluster', versions: { [version]: { schema: Body } }, storage: version });
  const catalog = createCatalog([thing('a.example.com', 'v2'), thing('b.example.com', 'v1'), thing('c.example.com', 'alpha')], brandOf('orch'));
  const reply = createDiscovery(catalog)({ method: 'GET', info: { path: '/apis' }, query: new URLSearchParams(), headers: new Map() });
  const { groups } = JSON.parse(Buffer.from(bytesOf(reply)).toString()) as { readonly groups: readonly Group[] };
  assert.deepEqual(groups.map(({ name }) => name), ['c.example.com', 'b.example.com', 'a.example.com']);
  // None of their versions is one of the group without a name.
  const core = createDiscovery(catalog)({ method: 'GET', info: { path: '/api' }, query: new URLSearchParams(), headers: new Map() });
  assert.deepEqual((JSON.parse(Buffer.from(bytesOf(core)).toString()) as { readonly versions: unknown }).versions, []);
});

test('R0-02 names are those of the dialect', async () => {
  const openapi = await createOpenapi(catalogOf('orch'))({ info: { path: '/openapi/v2' }, headers: new Map() });
  const replies = [...['/', '/apis', '/api/v1'].map((path) => ask(path, { dialect: 'orch' })), openapi];
  const text = replies.map((reply) => Buffer.from(bytesOf(reply)).toString()).join('');
  const foreign = text.replaceAll(/x-kubernetes-[a-z-]+/g, '').match(/[^"]*(?:kubernetes|k8s\.io)[^"]*/g);
  assert.equal(foreign, null);
});

test('/api says where the server is', () => {
  assert.deepEqual(read('/api'), {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: 'api.example:6443' }],
  });
  assert.match(Buffer.from(bytesOf(ask('/api', { headers: { host: 'other:1' } }))).toString(), /other:1/);
});

test('/version is of the release whose API is served', () => {
  const { gitVersion, major, minor } = read('/version') as Readonly<Record<string, string>>;
  assert.deepEqual([gitVersion, major, minor], ['v1.23.17', '1', '23']);
});

test('/ lists the paths', () => {
  const { paths } = read('/') as { readonly paths: readonly string[] };
  for (const path of ['/api', '/api/v1', '/apis', '/apis/', '/openapi/v2', '/version']) assert.ok(paths.includes(path), path);
  assert.deepEqual(paths, [...paths].sort());
});

test('R1-15 documents come in YAML and protobuf too', () => {
  const yaml = ask('/api', { headers: { accept: 'application/yaml' } });
  assert.equal(yaml?.headers['content-type'], 'application/yaml');
  assert.deepEqual(parseYaml(bytesOf(yaml)), read('/api'));
  const codec = createProtobufCodec(brandOf('kubernetes'));
  const accept = { headers: { accept: codec.mediaType } };
  const decoded = codec.decode({ apiVersion: '', kind: 'APIVersions', type: APIVersions.type }, bytesOf(ask('/api', accept)));
  assert.deepEqual({ ...decoded, apiVersion: undefined }, { ...(read('/api') as object), apiVersion: undefined });
  const { groups } = read('/apis') as { readonly groups: readonly Group[] };
  const path = `/apis/${groups[0]?.name}`;
  const group = codec.decode({ apiVersion: 'v1', kind: 'APIGroup', type: APIGroup.type }, bytesOf(ask(path, accept)));
  assert.deepEqual(group, { ...(read(path) as object) });
  const resources = Buffer.from(bytesOf(ask('/api/v1', accept)));
  assert.ok(resources.includes('\x0a\x0aconfigmaps\x10\x01\x1a\x09ConfigMap\x22\x43\x0a\x06create\x0a\x06delete'));
});

test('what is not acceptable or not allowed is refused, as recorded', () => {
  for (const path of ['/api', '/apis', '/api/v1']) {
    assert.throws(() => ask(path, { headers: { accept: 'text/html' } }), isFailure('NotAcceptable'));
    assert.throws(() => ask(path, { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } }), isFailure('NotAcceptable'));
  }
  assert.throws(() => ask('/version', { headers: { accept: 'application/yaml' } }), isFailure('NotAcceptable'));
  for (const path of ['/api', '/api/v1', '/version']) {
    for (const method of ['POST', 'HEAD', 'DELETE']) assert.throws(() => ask(path, { method }), isFailure('MethodNotAllowed'));
  }
  for (const path of ['/', '/apis']) assert.equal(ask(path, { method: 'POST' })?.status, 200);
});

test('other paths are left to others', () => {
  for (const path of ['/api/v2', '/apis/nothing.example.com', '/apis/apps/v0', '/openapi/v3', '/healthz', '/apis/__proto__']) {
    assert.equal(ask(path), undefined, path);
  }
  assert.deepEqual(read('/apis/'), read('/apis'));
});

test('documents follow the catalog', () => {
  const first = catalogOf('orch');
  const changing = { ...first, resources: first.resources };
  const discovery = createDiscovery(changing);
  const get = (path: string): Reply | undefined => discovery({ method: 'GET', info: { path }, query: new URLSearchParams(), headers: new Map() });
  assert.ok(get('/api/v1'));
  const before = bytesOf(get('/apis'));
  assert.equal(bytesOf(get('/apis')), before);
  changing.resources = [];
  assert.equal(get('/api/v1'), undefined);
  assert.ok(bytesOf(get('/apis')).length < before.length);
});

test('what is kept of an answer is for who asks for the same: in that form, and of the host that the caller named', () => {
  const discovery = createDiscovery(catalogOf('kubernetes'));
  const get = (path: string, headers: Readonly<Record<string, string>> = {}, query = ''): string => {
    const received = new Map(Object.entries(headers).map(([name, value]) => [name, [value]]));
    return Buffer.from(bytesOf(discovery({ method: 'GET', info: { path }, query: new URLSearchParams(query), headers: received }))).toString();
  };
  for (const host of ['one.example:1', 'two.example:2']) assert.match(get('/api', { host }), new RegExp(`"serverAddress":"${host}"`));
  for (const path of ['/apis', '/apis/apps', '/apis/apps/v1', '/api/v1']) {
    const forms = (): readonly string[] => [get(path), get(path, {}, 'pretty=1'), get(path, { accept: 'application/yaml' })];
    const [plain = '', indented = '', yaml = ''] = forms();
    assert.deepEqual([plain.startsWith('{"kind":'), indented.startsWith('{\n  "kind":'), yaml.startsWith('{')], [true, true, false], path);
    assert.deepEqual(forms(), [plain, indented, yaml], path);
  }
});

test('groups of other servers come and go with those that are placed, and are listed only where another server serves them', () => {
  const place = (group: string, isElsewhere: boolean): PlacedVersion => ({ group, version: 'v1', groupPriority: 1, versionPriority: 1, isElsewhere });
  let placed: readonly PlacedVersion[] = [];
  const discovery = createDiscovery(catalogOf('kubernetes'), { placed: () => placed });
  const listed = (): readonly string[] => {
    const reply = discovery({ method: 'GET', info: { path: '/apis' }, query: new URLSearchParams(), headers: new Map() });
    const { groups } = JSON.parse(Buffer.from(bytesOf(reply)).toString()) as { readonly groups: readonly Group[] };
    return groups.map(({ name }) => name).filter((name) => name.endsWith('.example.com'));
  };
  assert.deepEqual(listed(), []);
  placed = [place('there.example.com', true), place('nowhere.example.com', false)];
  assert.deepEqual(listed(), ['there.example.com']);
  placed = [];
  assert.deepEqual(listed(), []);
});
