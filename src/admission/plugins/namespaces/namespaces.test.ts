import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '#errors';
import { admit, make, pod, refused } from '../../test-support.ts';
import { namespaceExists } from './namespace-exists.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';

const notFound = (thrown: unknown): boolean => thrown instanceof ApiError && thrown.reason === 'NotFound' && thrown.message === 'namespaces "n" not found';

test('NamespaceExists: nothing happens in a namespace that is not there', async () => {
  for (const operation of ['CREATE', 'UPDATE', 'DELETE'] as const) await assert.rejects(admit(namespaceExists, pod(), { operation }), notFound);
  await admit(namespaceExists, pod(), { known: [make('Namespace', 'n')] });
  await admit(namespaceExists, make('Namespace', 'n'), { namespace: 'n' });
});

test('NamespaceLifecycle: what is refused where a namespace ends is called by its name, by the beginning of it, or is unknown', async () => {
  const known = [make('Namespace', 'n', {}, { deletionTimestamp: '2020-01-01T00:00:00Z' })];
  const rows = [[{ name: 'p' }, 'p'], [{ name: '', generateName: 'p-' }, 'p-'], [{ name: '' }, 'Unknown']] as const;
  for (const [metadata, name] of rows) {
    const refusal = (thrown: unknown): boolean =>
      refused(`pods "${name}" is forbidden: unable to create new content in namespace n because it is being terminated`)(thrown) &&
      thrown instanceof ApiError && thrown.details?.name === name && thrown.details.causes?.[0]?.reason === 'NamespaceTerminating';
    await assert.rejects(admit(namespaceLifecycle, pod({}, metadata), { known }), refusal);
  }
});
