import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf } from '#api';
import { parseRequest, type Authorizer, type Identified } from '#request';
import { impersonationStage } from './impersonate.ts';
import { alwaysAllow } from './modes/always.ts';

test('who handles a request sees the one whom it is done as, and nothing of the one who sent it or of what was asked for', async () => {
  const stage = impersonationStage(alwaysAllow, brandOf('kubernetes'), () => assert.fail('everybody may everything'));
  const asking = { 'impersonate-user': ['jim'], 'impersonate-group': ['dev'], 'impersonate-extra-a': ['b'], 'impersonate-uid': ['7'], 'impersonate-anything': ['c'] };
  const headers = new Map(Object.entries({ accept: ['*/*'], ...asking }));
  const info = parseRequest('GET', '/api/v1/pods', new URLSearchParams());
  const request = { info, headers, user: { name: 'admin', uid: '1', groups: ['system:masters'], extra: { x: ['y'] } } } as unknown as Identified;
  let seen: Pick<Identified, 'user' | 'headers'> | undefined;
  await stage(request, ({ user, headers: left }) => {
    seen = { user, headers: left };
    return Promise.resolve({ status: 200, headers: {}, body: new Uint8Array(0) });
  });
  const user = { name: 'jim', uid: '7', groups: ['dev', 'system:authenticated'], extra: { a: ['b'] } };
  assert.deepEqual(seen, { user, headers: new Map([['accept', ['*/*']]]) });
});

test('R5.7-13 what somebody may act as does not depend on what is asked for: neither on its place and group, nor on whether it is a resource', async () => {
  const asked: unknown[] = [];
  const authorizer: Authorizer = {
    authorize({ isResourceRequest, verb, group, version, resource, subresource, namespace, name, user }) {
      asked.push({ isResourceRequest, verb, group, version, resource, subresource, namespace, name, user: user.name });
      return { verdict: 'allow', reason: '' };
    },
  };
  const stage = impersonationStage(authorizer, brandOf('kubernetes'), () => assert.fail('allowed'));
  const headers = { 'impersonate-user': 'target', 'impersonate-group': 'dev', 'impersonate-extra-scopes': 'view', 'impersonate-uid': 'u' };
  for (const path of ['/apis/apps/v1/namespaces/a/deployments/d/scale', '/metrics', '/api/v1/nodes']) {
    asked.length = 0;
    const query = new URLSearchParams();
    const sent = new Map(Object.entries(headers).map(([name, value]) => [name, [value]]));
    const request = { info: parseRequest('GET', path, query), headers: sent, user: { name: 'alice', groups: [] } };
    await stage(request as unknown as Identified, async () => ({ status: 200, headers: {}, body: new Uint8Array(0) }));
    const everywhere = { isResourceRequest: true, verb: 'impersonate', namespace: '', user: 'alice' };
    const authentication = { group: 'authentication.k8s.io', version: 'v1' };
    assert.deepEqual(asked, [
      { ...everywhere, group: '', version: '', resource: 'users', subresource: '', name: 'target' },
      { ...everywhere, group: '', version: '', resource: 'groups', subresource: '', name: 'dev' },
      { ...everywhere, ...authentication, resource: 'userextras', subresource: 'scopes', name: 'view' },
      { ...everywhere, ...authentication, resource: 'uids', subresource: '', name: 'u' },
    ]);
  }
});
