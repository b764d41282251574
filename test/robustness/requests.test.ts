import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bounded, brokenInto, doneOrRefused, refused, showsNothing } from './judge.ts';

const server = brokenInto();
const PATH = '/api/v1/namespaces/default/configmaps';

const WEIRD_PATHS = [
  '', '/', '//', '///api//v1//', '/..', '/../..', '/api/../api/v1/configmaps', '/api/v1/..', '/api/v1/./configmaps', '/api/v1/%2e%2e/%2e%2e/etc/passwd', '/%2f', '/api%2fv1%2fconfigmaps',
  `${PATH}/a%2fb`, `${PATH}/%2f`, `${PATH}/a%00b`, `${PATH}/%00`, `${PATH}/%`, `${PATH}/%zz`, `${PATH}/%c3%28`, `${PATH}/%ff`, `${PATH}/..`, `${PATH}/.`, `${PATH}/%2e%2e`, `${PATH}/ `, `${PATH}/%20`,
  `${PATH}/ü`, `${PATH}/%C3%BC`, `${PATH}/\u{1f600}`, `${PATH}/a?b?c`, `${PATH}/a#b`, `${PATH}/a;b`, `${PATH}/a\\b`, `${PATH}/${'x'.repeat(5_000)}`, `/${'a/'.repeat(5_000)}`,
  '/api/v1/namespaces//configmaps', '/api/v1/namespaces/%2f/configmaps', '/api/v1/namespaces/../configmaps/a', '/api/v1/namespaces/%00/configmaps', '/api/v1/watch', '/api/v1/watch/watch/watch',
  '/api/v1/proxy/configmaps', '/api/v1/namespaces/default/configmaps/a/b/c/d', '/apis/apps/v1/namespaces/default', 'http://example.com/api/v1/configmaps', '*', 'api/v1/configmaps', '/API/V1/CONFIGMAPS',
  '/api/v1/namespaces/default/configmaps/', '/api/v1/configmaps/', '/openapi/../v2', '/apis/apps/v1/daemonsets/a/status',
];

test('weird paths are answered, by every method, without a failure of the server', async () => {
  for (const path of WEIRD_PATHS) {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE', 'CONNECT', 'get', 'X-MADE-UP', '']) {
      const type = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : undefined;
      const isDangerous = method === 'DELETE' && !path.includes('configmaps');
      if (isDangerous) continue;
      const answer = await server().request(method, path, method === 'PUT' || method === 'PATCH' ? '{}' : undefined, type);
      assert.ok(answer.status < 500, `${method} ${path}: ${answer.status} ${answer.text}`);
      showsNothing(answer);
    }
  }
});

test('a name that no object can have is never found nor made, whatever it is spelled like', async () => {
  for (const name of ['..', '.', 'a%2fb', '%00', 'a%00b', '%2e%2e', 'ü', 'A', 'a b', 'x'.repeat(254), '-a', 'a_b', '%0a']) {
    const path = `${PATH}/${name}`;
    for (const answer of [await server().request('GET', path), await server().request('DELETE', path)]) doneOrRefused(answer);
    const decoded = decodeURIComponent(name);
    refused(await server().request('PUT', path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: decoded } }));
    refused(await server().request('POST', PATH, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: decoded } }));
    refused(await server().patch('apply', `${path}?fieldManager=m`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: decoded } }));
    refused(await server().request('POST', `/api/v1/namespaces/${name}/configmaps`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }));
  }
});

test('any path is answered', async () => {
  const part = fc.oneof(fc.string({ maxLength: 12 }), fc.string({ unit: 'grapheme', maxLength: 6 }).map(encodeURI), fc.constantFrom('api', 'apis', 'v1', 'apps', 'configmaps', 'namespaces', 'default', 'watch', '..', '%2f', 'status'));
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 8 }), async (parts) => {
      const answer = await server().request('GET', `/${parts.join('/')}`.replaceAll('watch=', ''));
      assert.ok(answer.status < 500, `${parts.join('/')}: ${answer.text}`);
      showsNothing(answer);
    }),
    bounded(300),
  );
});

const NAMES = [
  'limit', 'continue', 'resourceVersion', 'resourceVersionMatch', 'labelSelector', 'fieldSelector', 'timeoutSeconds', 'allowWatchBookmarks', 'dryRun', 'fieldManager', 'fieldValidation', 'force',
  'gracePeriodSeconds', 'propagationPolicy', 'orphanDependents', 'pretty', 'includeObject',
];
const VALUES = ['', '0', '-1', '1', 'x', '9999999999999999999999', '1e3', '0x10', '1.5', ' ', '%00', '%ff', '%', 'a%2Cb', '%22', '[]', '{}', 'null', 'true', '..', 'a%3Db%2Cc%20in%20(d', '%F0%9F%98%80', 'x'.repeat(4_000), ',,,', '=', '!', '()'];
/** Answers that kube-apiserver gives too: an unreadable version that goes to its cache, and a version from the future. */
const RECORDED = [500, 504];

test('weird query values are done or refused, on every verb', async () => {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'query' } };
  for (const name of NAMES) {
    for (const value of VALUES) {
      const query = `?${name}=${value}&${name}=${value}`;
      doneOrRefused(await server().request('GET', PATH + query), name === 'resourceVersion' ? RECORDED : []);
      doneOrRefused(await server().request('POST', PATH + query, object));
      doneOrRefused(await server().patch('apply', `${PATH}/query${query}${name === 'fieldManager' ? '' : '&fieldManager=m'}`, object));
      doneOrRefused(await server().patch('merge', `${PATH}/query${query}`, {}));
      doneOrRefused(await server().request('DELETE', `${PATH}/query${query}`));
    }
  }
});

test('any query is answered', async () => {
  const pair = fc.tuple(fc.oneof(fc.constantFrom(...NAMES), fc.string({ maxLength: 6 })), fc.oneof(fc.constantFrom(...VALUES), fc.string({ maxLength: 20 }).map(encodeURIComponent)));
  await fc.assert(
    fc.asyncProperty(fc.array(pair, { maxLength: 5 }), async (pairs) => {
      const query = pairs.filter(([name]) => !name.startsWith('watch')).map(([name, value]) => `${name}=${value}`).join('&');
      doneOrRefused(await server().request('GET', `${PATH}?${query}`), RECORDED);
    }),
    bounded(300),
  );
});

test('weird headers are answered', async () => {
  const long = 'x'.repeat(20_000);
  for (const value of ['', ' ', ',', ';', '*', '*/*;q=', 'a/b;q=9999', 'application/json;as=', 'application/json;as=Table', 'application/json;as=Table;v=v9;g=x', 'a/b,'.repeat(2_000), long, '"', '\u00ff\u00fe', '../..', 'application/json;q=NaN,*/*;q=-1']) {
    for (const name of ['accept', 'accept-encoding', 'user-agent', 'if-none-match', 'content-encoding', 'expect', 'x-forwarded-for', 'impersonate-user', 'origin', 'range']) {
      doneOrRefused(await server().request('GET', PATH, undefined, { [name]: value }));
    }
    doneOrRefused(await server().request('POST', PATH, '{}', { 'content-type': value === '' ? ' ' : value }));
    const credentials = await server().request('GET', PATH, undefined, { authorization: `Bearer ${value}` });
    assert.ok(credentials.status === 401 || credentials.status === 403, credentials.text);
  }
});

test('a JSON patch that copies itself larger and larger is refused', async () => {
  const made = await server().request('POST', PATH, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'bomb' }, data: { a: 'x'.repeat(1_000) } });
  assert.equal(made.status, 201, made.text);
  const doubling = Array.from({ length: 40 }, (_, at) => ({ op: 'copy', from: '/metadata', path: `/metadata/annotations${at}` }));
  refused(await server().patch('json', `${PATH}/bomb`, doubling));
  const many = Array.from({ length: 20_000 }, () => ({ op: 'add', path: '/data/a', value: 'x' }));
  refused(await server().patch('json', `${PATH}/bomb`, many));
  const growing = [{ op: 'add', path: '/data/b', value: 'x'.repeat(100_000) }, ...Array.from({ length: 5_000 }, (_, at) => ({ op: 'copy', from: '/data/b', path: `/data/c${at}` }))];
  refused(await server().patch('json', `${PATH}/bomb`, growing));
});

test('JSON patches of any shape are done or refused', async () => {
  const pointer = fc.oneof(fc.constantFrom('', '/', '/data', '/data/a', '/metadata', '/metadata/name', '/metadata/labels/-', '/data/~2', '/data/~', '//', 'data', '/metadata/finalizers/-', '/metadata/finalizers/99999999999', '/metadata/finalizers/-1'), fc.string({ maxLength: 10 }));
  const operation = fc.record(
    { op: fc.oneof(fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'), fc.string({ maxLength: 5 })), path: fc.oneof(pointer, fc.jsonValue({ maxDepth: 1 })), from: pointer, value: fc.jsonValue({ maxDepth: 3 }) },
    { requiredKeys: [] },
  );
  await server().request('POST', PATH, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shape' }, data: { a: '1' } });
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.array(operation, { maxLength: 4 }), fc.jsonValue({ maxDepth: 2 })), async (patch) => {
      doneOrRefused(await server().patch('json', `${PATH}/shape`, JSON.stringify(patch) ?? ''));
    }),
    bounded(300),
  );
});
