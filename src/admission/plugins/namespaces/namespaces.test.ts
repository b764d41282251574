import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '#errors';
import { admit, make, pod } from '../../test-support.ts';
import { namespaceExists } from './namespace-exists.ts';

const notFound = (thrown: unknown): boolean => thrown instanceof ApiError && thrown.reason === 'NotFound' && thrown.message === 'namespaces "n" not found';

test('NamespaceExists: nothing happens in a namespace that is not there', async () => {
  for (const operation of ['CREATE', 'UPDATE', 'DELETE'] as const) await assert.rejects(admit(namespaceExists, pod(), { operation }), notFound);
  await admit(namespaceExists, pod(), { known: [make('Namespace', 'n')] });
  await admit(namespaceExists, make('Namespace', 'n'), { namespace: 'n' });
});
