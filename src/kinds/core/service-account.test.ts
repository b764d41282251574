import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellsOf, write } from '../test-support.ts';
import { ServiceAccount, type ServiceAccount as Account } from './service-account.ts';

test('ServiceAccount: secrets are kept by name alone', () => {
  const { object, causes } = write(ServiceAccount, {
    body: {
      secrets: [{ name: 's', namespace: 'other', kind: 'Secret' }],
      imagePullSecrets: [{ name: 'p' }],
      automountServiceAccountToken: false,
    },
  });
  const account = object as Account;
  assert.deepEqual(causes, []);
  assert.deepEqual([...(account.secrets ?? [])], [{ name: 's' }]);
  assert.equal(account.automountServiceAccountToken, false);
  assert.deepEqual(cellsOf(ServiceAccount, object), [1]);
});

test('ServiceAccount: the name is a DNS subdomain', () => {
  assert.deepEqual(write(ServiceAccount, { body: { metadata: { name: 'Bad_' } } }).causes, ['Invalid metadata.name']);
});
