import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ApiError } from '#errors';
import { userHeaders } from './user-headers.ts';

test('name, groups and extra go into headers as bytes of UTF-8, keys with what no header name has percent-encoded', () => {
  const headers = userHeaders({ name: 'jürgen', groups: ['a', 'b'], extra: { 'example.com/scopes': ['x', 'y'], 'ü%': ['z'] } });
  assert.deepEqual(headers, {
    'x-remote-user': 'jÃ¼rgen',
    'x-remote-group': ['a', 'b'],
    'x-remote-extra-example.com%2Fscopes': ['x', 'y'],
    'x-remote-extra-%C3%BC%25': ['z'],
  });
});

test('no name can begin another header', () => {
  for (const name of ['a\nx-remote-group: system:masters', 'a\r', '\0']) {
    assert.throws(() => userHeaders({ name, groups: [] }), (failure) => failure instanceof ApiError && failure.reason === 'BadRequest');
  }
});

test('nobody becomes somebody else on the way: whoever reads a header leaves out the space around it', () => {
  const users = ['\tadmin', ' system:masters', 'system:masters ', 'a\t'].flatMap((text) => [
    { name: text, groups: [] },
    { name: 'a', groups: ['b', text] },
    { name: 'a', groups: [], extra: { scopes: [text] } },
  ]);
  for (const user of users) assert.throws(() => userHeaders(user), (failure) => failure instanceof ApiError && failure.reason === 'BadRequest', JSON.stringify(user));
  assert.deepEqual(userHeaders({ name: 'a b', groups: ['c\td'] }), { 'x-remote-user': 'a b', 'x-remote-group': ['c\td'] });
});

test('every key can be read back', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (key) => {
      const [header = ''] = Object.keys(userHeaders({ name: 'a', groups: [], extra: { [key]: [] } })).slice(1);
      assert.match(header, /^[\w!#$&'*+.^`|~%-]+$/);
      assert.equal(decodeURIComponent(header.slice('x-remote-extra-'.length)), key);
    }),
    { seed: 1, numRuns: 200 },
  );
});
