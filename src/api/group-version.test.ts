import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { apiVersionOf, isApiVersion, parseApiVersion, resourceName, rootPathOf } from './group-version.ts';

const word = fc.stringMatching(/^[a-z0-9.]*$/);

test('what is written from a group and a version is read as the same', () => {
  fc.assert(
    fc.property(word, word, (group, version) => {
      const apiVersion = apiVersionOf({ group, version });
      assert.deepEqual(parseApiVersion(apiVersion), { group, version });
      assert.ok(isApiVersion(apiVersion));
    }),
  );
});

test('the core group has no name in its version, its path and its resources', () => {
  assert.equal(apiVersionOf({ group: '', version: 'v1' }), 'v1');
  assert.equal(rootPathOf({ group: '', version: 'v1' }), '/api/v1');
  assert.equal(rootPathOf({ group: 'apps', version: 'v1' }), '/apis/apps/v1');
  assert.equal(resourceName({ group: '', plural: 'pods' }), 'pods');
  assert.equal(resourceName({ group: 'apps', plural: 'deployments' }), 'deployments.apps');
});

test('what has more than one slash is no version', () => {
  assert.ok(!isApiVersion('a/b/v1'));
  assert.ok(isApiVersion('/v1'));
});
