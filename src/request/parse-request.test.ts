import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseRequest } from './parse-request.ts';

const read = (line: string): string => {
  const [method = '', target = ''] = line.split(' ');
  const url = target.indexOf('?');
  const info = parseRequest(method, url === -1 ? target : target.slice(0, url), new URLSearchParams(url === -1 ? '' : target.slice(url)));
  if (!info.isResourceRequest) return `${info.verb} (no resource)`;
  const { verb, group, version, namespace, resource, subresource, name } = info;
  return [verb, `${group}/${version}`, namespace || '-', [resource, subresource].filter(Boolean).join('/'), name || '-'].join(' ');
};

/** Request line, and how it is understood: verb, group and version, namespace, resource with subresource, name. */
const TABLE: readonly (readonly [line: string, meaning: string])[] = [
  ['GET /', 'get (no resource)'],
  ['POST /api', 'post (no resource)'],
  ['GET /api/v1', 'get (no resource)'],
  ['GET /apis/apps/v1', 'get (no resource)'],
  ['DELETE /healthz', 'delete (no resource)'],
  ['GET /api/v1/pods', 'list /v1 - pods -'],
  ['HEAD /api/v1/pods', 'list /v1 - pods -'],
  ['GET /api/v1/pods?watch=1', 'watch /v1 - pods -'],
  ['GET /api/v1/pods?watch=false', 'list /v1 - pods -'],
  ['GET /api/v1/pods?watch=', 'watch /v1 - pods -'],
  ['GET /api/v1/pods?fieldSelector=metadata.name%3Da', 'list /v1 - pods a'],
  ['GET /api/v1/pods?fieldSelector=metadata.name%3D%3Da', 'list /v1 - pods a'],
  ['GET /api/v1/pods?fieldSelector=x%21%3Dy%2Cmetadata.name%3Da', 'list /v1 - pods a'],
  ['GET /api/v1/pods?fieldSelector=x%21%3Dy%5C%2Cmetadata.name%3Da', 'list /v1 - pods -'],
  ['GET /api/v1/pods?fieldSelector=metadata.name%3Da%3Db', 'list /v1 - pods -'],
  ['GET /api/v1/pods?fieldSelector=metadata.name%3D..', 'list /v1 - pods -'],
  ['GET /api/v1/watch/pods', 'watch /v1 - pods -'],
  ['GET /api/v1/watch/namespaces/n/pods/p', 'watch /v1 n pods p'],
  ['GET /api/v1/watch', 'list /v1 - watch -'],
  ['GET /api/v1/proxy/namespaces/n/pods/p', 'proxy /v1 n pods p'],
  ['GET /api/v1/proxy/namespaces/n/pods/p/path/behind', 'proxy /v1 n pods p'],
  ['GET /api/v1/proxy', 'list /v1 - proxy -'],
  ['GET /api/v1/namespaces', 'list /v1 - namespaces -'],
  ['GET /api/v1/namespaces/n', 'get /v1 n namespaces n'],
  ['PUT /api/v1/namespaces/n/finalize', 'update /v1 n namespaces/finalize n'],
  ['PATCH /api/v1/namespaces/n/status', 'patch /v1 n namespaces/status n'],
  ['GET /api/v1/namespaces/n/pods', 'list /v1 n pods -'],
  ['POST /api/v1/namespaces/n/pods', 'create /v1 n pods -'],
  ['DELETE /api/v1/namespaces/n/pods', 'deletecollection /v1 n pods -'],
  ['POST /api/v1/namespaces/n/pods?fieldSelector=metadata.name%3Da', 'create /v1 n pods -'],
  ['DELETE /api/v1/namespaces/n/pods?fieldSelector=metadata.name%3Da', 'deletecollection /v1 n pods -'],
  ['DELETE /api/v1/namespaces/n/pods/p', 'delete /v1 n pods p'],
  ['GET /api/v1/namespaces/n/pods/p/log', 'get /v1 n pods/log p'],
  ['PATCH /apis/apps/v1/namespaces/n/daemonsets/d/status', 'patch apps/v1 n daemonsets/status d'],
  ['GET /apis/scheduling.orch.io/v1/priorityclasses/c', 'get scheduling.orch.io/v1 - priorityclasses c'],
  ['GET //api/v1/pods//', 'list /v1 - pods -'],
  ['GET /api//v1/pods', 'get / - v1 pods'],
  ['GET /api/v1//pods', 'get /v1 -  pods'],
  ['GET /api/v1/namespaces//pods', 'list /v1 - pods -'],
  ['GET /api/v1/namespaces/n//pods/p', 'get /v1 n p pods'],
  ['GET /api/v1/namespaces/n/pods//p', 'list /v1 n pods/p -'],
];

for (const [line, meaning] of TABLE) {
  test(`${line} means ${meaning}`, () => assert.equal(read(line), meaning));
}

test('methods that are no verbs have none, whatever they are called', () => {
  for (const method of ['TRACE', 'constructor', '__proto__', 'get', '']) assert.equal(parseRequest(method, '/api/v1/pods', new URLSearchParams()).verb, '');
});

test('any path is read without a failure, and only /api and /apis are resources', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (method, path, query) => {
      const info = parseRequest(method, path, new URLSearchParams(query));
      const first = path.split('/').find((part) => part !== '') ?? '';
      if (info.isResourceRequest) assert.ok(first === 'api' || first === 'apis');
    }),
    { seed: 1, numRuns: 500 },
  );
});
