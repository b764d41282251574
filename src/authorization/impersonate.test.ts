import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf } from '#api';
import { parseRequest, type Identified } from '#request';
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
