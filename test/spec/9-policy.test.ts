// What may change from one release to the next, held against what Kubernetes 1.23 was recorded to serve: the release that this one follows.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { brandOf, DIALECTS } from '#api';
import { allKinds } from '#kinds';
import { FLAGS, IDLE_FLAGS } from '#server';
import { startTestServer, type TestJson } from '#testing';

const golden = (name: string): TestJson => JSON.parse(brotliDecompressSync(readFileSync(path.resolve('test/golden', name))).toString('utf8'));
const discovery = golden('discovery.json.br');
const brand = brandOf('kubernetes');
const isStable = (version: string): boolean => /^v\d+$/.test(version);
const stability = (version: string): number => (isStable(version) ? 2 : version.includes('beta') ? 1 : 0);
/** Versions of a group that the release before serves. */
const versionsBefore = (group: string): readonly string[] =>
  group === '' ? ['v1'] : (discovery.groups.find(({ name }: TestJson) => name === group)?.versions.map(({ version }: TestJson) => version) ?? []);
const declared = allKinds.flatMap(({ group, kind, storage, versions }) => Object.entries(versions).map(([version, { deprecated }]) => ({ group: brand.group(group), kind, storage, version, deprecated })));

/** What a definition says of its members that somebody may have come to use. */
const wordsOf = (definition: TestJson): readonly string[] =>
  Object.entries((definition.properties ?? {}) as Readonly<Record<string, TestJson>>).flatMap(([member, { enum: values = [] }]) => [member, ...values.map((value: string) => `${member}=${value}`)]);

test('R9-16 no kind, field or value of a version that was served is gone', async () => {
  const server = await startTestServer({ dialect: 'kubernetes', controllers: 'none' });
  const { definitions } = (await server.request('GET', '/openapi/v2')).body;
  const before: Readonly<Record<string, TestJson>> = golden('openapi-v2.json.br').definitions;
  assert.ok(Object.keys(before).length > 500);
  const gone = Object.entries(before).flatMap(([name, definition]) => {
    if (definitions[name] === undefined) return [name];
    const now = new Set(wordsOf(definitions[name]));
    return wordsOf(definition).filter((word) => !now.has(word)).map((word) => `${name}.${word}`);
  });
  assert.deepEqual(gone, []);
  for (const [root, resources] of Object.entries(discovery.resources as Readonly<Record<string, readonly TestJson[]>>)) {
    const served = new Set((await server.request('GET', root)).body.resources.map(({ name }: TestJson) => name));
    assert.deepEqual(resources.map(({ name }) => name).filter((name) => !served.has(name)), [], root);
  }
  await server.close();
});

test('R9-18 what takes the place of a version is at least as stable', () => {
  const replaced = declared.filter(({ deprecated }) => deprecated?.use !== undefined);
  assert.ok(replaced.length > 5);
  // The place may be in another group: `networking.k8s.io/v1`, or a kind of it.
  const versionIn = (use: string): string => /(?:^|\/)(v\d+(?:(?:alpha|beta)\d+)?)\b/.exec(use)?.[1] ?? assert.fail(use);
  for (const { group, kind, version, deprecated } of replaced) assert.ok(stability(versionIn(deprecated?.use ?? '')) >= stability(version), `${group}/${version} ${kind}`);
});

test('R9-19 what is stored, and what is preferred, is a version that the release before serves too', async () => {
  const kinds = declared.filter(({ group }) => versionsBefore(group).length > 0);
  assert.ok(kinds.length > 60);
  for (const { group, kind, storage } of kinds) assert.ok(versionsBefore(group).includes(storage), `${group} ${kind} is stored as ${storage}`);
  const server = await startTestServer({ dialect: 'kubernetes', controllers: 'none' });
  for (const { name, preferredVersion } of (await server.request('GET', '/apis')).body.groups) assert.ok(versionsBefore(name).includes(preferredVersion.version), name);
  await server.close();
});

test('R9-20 a stable version stays as long as the major version: none is said to go', () => {
  assert.deepEqual(declared.filter(({ version, deprecated }) => isStable(version) && deprecated?.goneIn !== undefined), []);
});

for (const dialect of DIALECTS) {
  test(`R9-21 an alpha version is not served unless it is asked for, and goes without a word (${dialect})`, async () => {
    assert.deepEqual(declared.filter(({ version, deprecated }) => version.includes('alpha') && deprecated !== undefined), []);
    const server = await startTestServer({ dialect, controllers: 'none' });
    const { groups } = (await server.request('GET', '/apis')).body;
    for (const { versions } of groups) for (const { version } of versions) assert.ok(!version.includes('alpha'));
    const { status, headers } = await server.request('GET', `/apis/${brandOf(dialect).group('rbac')}/v1alpha1/roles`);
    assert.deepEqual([status, headers['warning']], [404, undefined]);
    await server.close();
  });
}

test('R9-40 the versions of 1.23 are served and no other ones; each that is to go says so, and no other', async () => {
  const server = await startTestServer({ dialect: 'kubernetes', controllers: 'none' });
  const served = (groups: readonly { readonly versions: readonly { readonly groupVersion: string }[] }[]): readonly string[] =>
    groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => groupVersion)).sort();
  assert.deepEqual(served((await server.request('GET', '/apis')).body.groups), served(discovery.groups));
  for (const { group, plural, kind, versions } of allKinds) {
    for (const [version, { deprecated, warning, isOff }] of Object.entries(versions)) {
      const spelled = brand.group(group);
      const answer = await server.request('GET', `${spelled === '' ? '/api' : `/apis/${spelled}`}/${version}/${plural}`);
      if (answer.status !== 200 || isOff === true) continue;
      assert.equal(answer.headers['warning'] !== undefined, deprecated !== undefined || warning !== undefined, `${spelled}/${version} ${kind}`);
    }
  }
  await server.close();
});

/** Defaults that the specification names; a text that is no default stands for what happens without the flag. */
const DEFAULTS: Readonly<Record<string, string | undefined>> = {
  'anonymous-auth': 'true',
  'authentication-token-webhook-cache-ttl': '2m0s',
  'authentication-token-webhook-version': 'v1beta1',
  'cluster-signing-duration': '8760h0m0s',
  'controllers': '*',
  'enable-bootstrap-token-auth': 'false',
  'livez-grace-period': '0s',
  'oidc-username-claim': 'sub',
  'shutdown-delay-duration': '0s',
};

test('RX-27 every flag that a requirement names is taken, and has the default that is said of it', () => {
  const text = readFileSync(path.resolve('test/requirements/requirements.txt'), 'utf8');
  // `--token` is a flag of a client.
  const named = [...new Set([...text.matchAll(/`--([a-z][a-z-]*)/g)].map(([, name = '']) => name))].filter((name) => name !== 'token');
  assert.ok(named.length > 20);
  const flags: readonly { readonly name: string; readonly default?: unknown }[] = [...FLAGS, ...IDLE_FLAGS];
  const known = new Map(flags.map((flag) => [flag.name, flag]));
  assert.deepEqual(named.filter((name) => !known.has(name)), []);
  for (const name of named) assert.equal(known.get(name)?.default === undefined ? undefined : String(known.get(name)?.default), DEFAULTS[name], name);
});
