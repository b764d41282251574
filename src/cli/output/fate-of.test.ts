import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fateOf } from './fate-of.ts';

test('what was deleted is told from what a finalizer or a grace period still keeps', () => {
  const rows: readonly (readonly [object, string])[] = [
    [{ kind: 'Status', details: { kind: 'configmaps' } }, 'deleted'],
    [{ kind: 'ServiceAccount', metadata: { name: 'a' } }, 'deleted'],
    [{ kind: 'Pod', metadata: { name: 'a', deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 } }, 'deleted'],
    [{ kind: 'Pod', metadata: { name: 'a', deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 } }, 'is being deleted, waiting for the end of its grace period of 30 s'],
    [{ kind: 'ConfigMap', metadata: { name: 'a', finalizers: ['a.example/one', 'a.example/two'] } }, 'is being deleted, waiting for a.example/one, a.example/two'],
    [{ kind: 'Namespace', metadata: { name: 'a' }, spec: { finalizers: ['kubernetes'] } }, 'is being deleted, waiting for kubernetes'],
  ];
  for (const [answer, fate] of rows) assert.equal(fateOf(answer), fate);
});
