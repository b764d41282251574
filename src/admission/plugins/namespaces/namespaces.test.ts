import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject } from '#api';
import { ApiError } from '#errors';
import { admit, make, pod, refused, type Setting } from '../../test-support.ts';
import { namespaceExists } from './namespace-exists.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';

const notFound = (thrown: unknown): boolean => thrown instanceof ApiError && thrown.reason === 'NotFound' && thrown.message === 'namespaces "n" not found';

test('NamespaceExists: nothing happens in a namespace that is not there', async () => {
  for (const operation of ['CREATE', 'UPDATE', 'DELETE'] as const) await assert.rejects(admit(namespaceExists, pod(), { operation }), notFound);
  await admit(namespaceExists, pod(), { known: [make('Namespace', 'n')] });
  await admit(namespaceExists, make('Namespace', 'n'), { namespace: 'n' });
});

test('NamespaceLifecycle: namespaces that the system needs are not deleted, and whatever else bears their names is', async () => {
  const rows = [['orch', ['default', 'orch-system', 'orch-public']], ['kubernetes', ['default', 'kube-system', 'kube-public']]] as const;
  for (const [dialect, names] of rows) {
    for (const name of names) {
      const remove = (kind: string, setting: Setting = {}): Promise<object> => admit(namespaceLifecycle, make(kind, name), { operation: 'DELETE', namespace: kind === 'Namespace' ? name : 'n', dialect, ...setting });
      await assert.rejects(remove('Namespace'), refused(`namespaces "${name}" is forbidden: this namespace may not be deleted`));
      await remove('Namespace', { name: 'n' });
      await remove('ServiceAccount');
    }
  }
});

test('NamespaceLifecycle: what is in no namespace, or asks about one, needs none', async () => {
  await admit(namespaceLifecycle, make('Namespace', 'n'), { namespace: 'n' });
  await admit(namespaceLifecycle, make('Node', 'a'), { namespace: '' });
  await admit(namespaceLifecycle, make('LocalSubjectAccessReview', ''));
  await assert.rejects(admit(namespaceLifecycle, pod()), notFound);
  await admit(namespaceLifecycle, pod(), { live: pod() });
});

test('NamespaceLifecycle: what was in memory about a namespace is enough for what is stored under its condition, and for nothing else', async () => {
  const [active, ending] = [make('Namespace', 'n'), make('Namespace', 'n', {}, { deletionTimestamp: '2020-01-01T00:00:00Z' })];
  const create = (stale: ApiObject, setting: Setting): Promise<object> => {
    const plugin: typeof namespaceLifecycle = {
      ...namespaceLifecycle,
      create: (env) => namespaceLifecycle.create({ ...env, objects: { ...env.objects, atHand: (_kind, _key, freshness) => (freshness === 'any' ? { object: stale } : undefined) } }),
    };
    return admit(plugin, pod(), setting);
  };
  await create(active, { known: [ending] });
  const isEnding = refused('because it is being terminated');
  for (const more of [{ dryRun: true }, { subresource: 'eviction' }]) await assert.rejects(create(active, { known: [ending], ...more }), isEnding);
  await create(ending, { known: [active] });
  await assert.rejects(create(ending, { known: [ending] }), isEnding);
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
