import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forbidden } from '#errors';
import { explainFailure } from './explain-failure.ts';

const explained = (why: string): string => explainFailure(forbidden({ group: '', resource: 'pods' }, 'a', why));

test('who may not do something is told to come as another user, and nobody else who is refused', () => {
  const advice = '\n  this user may not do that: give the kubeconfig of another user with --kubeconfig';
  for (const user of ['bob', String.raw`a \"cannot`]) {
    const why = `User "${user}" cannot delete resource "pods" in API group "" in the namespace "default"`;
    assert.equal(explained(why), `the server answered 403 Forbidden: pods "a" is forbidden: ${why}${advice}`);
  }
  for (const why of ['exceeded quota: small, requested: pods=1, used: pods=10, limited: pods=10', 'this namespace may not be deleted', 'it belongs to no team: they cannot be deleted']) {
    assert.equal(explained(why), `the server answered 403 Forbidden: pods "a" is forbidden: ${why}`);
  }
});
