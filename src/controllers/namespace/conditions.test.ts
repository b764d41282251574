import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextConditions, type Findings } from './conditions.ts';

const NOTHING: Findings = { undiscovered: [], failures: [], remains: [] };
const NOW_MS = Date.parse('2030-01-01T00:00:00Z');

/** The conditions after one round after another, a minute apart. */
function after(...rounds: readonly Findings[]): NonNullable<ReturnType<typeof nextConditions>> {
  return rounds.reduce<NonNullable<ReturnType<typeof nextConditions>>>((live, findings, at) => nextConditions(live, findings, NOW_MS + at * 60_000) ?? live, []);
}

const failing = (...reasons: readonly string[]): Findings => ({ ...NOTHING, failures: reasons.map((why) => ({ resource: 'r', why })) });

test('each condition is there once, in any round, and the same findings change nothing', () => {
  const first = after(NOTHING);
  assert.deepEqual(first.map(({ status }) => status), ['False', 'False', 'False', 'False', 'False']);
  assert.equal(nextConditions(first, NOTHING, NOW_MS + 1_000), undefined);
  assert.deepEqual(first.map(({ reason, message }) => [reason, message]), [
    ['ResourcesDiscovered', 'All resources successfully discovered'],
    ['ParsedGroupVersions', 'All legacy kube types successfully parsed'],
    ['ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
    ['ContentRemoved', 'All content successfully removed'],
    ['ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
  ]);
  const types = first.map(({ type }) => type);
  assert.equal(new Set(types).size, types.length);
  const hidden: Findings = { ...NOTHING, undiscovered: [{ apiVersion: 'x/v1', cause: new Error('no answer') }] };
  for (const findings of [failing('b', 'a'), hidden, NOTHING]) assert.deepEqual(after(NOTHING, findings).map(({ type }) => type), types);
});

test('a condition says since when it has its status, whatever it says besides', () => {
  const of = (...rounds: readonly Findings[]): readonly unknown[] => {
    const { status, lastTransitionTime, message } = after(...rounds).find(({ type }) => type === 'NamespaceDeletionContentFailure') ?? {};
    return [status, lastTransitionTime, message];
  };
  assert.deepEqual(of(NOTHING, failing('b', 'a')), ['True', '2030-01-01T00:01:00Z', 'Failed to delete all resource types, 2 remaining: a, b']);
  assert.deepEqual(of(NOTHING, failing('b', 'a'), failing('a')), ['True', '2030-01-01T00:01:00Z', 'Failed to delete all resource types, 1 remaining: a']);
  assert.equal(of(NOTHING, failing('a'), NOTHING)[1], '2030-01-01T00:02:00Z');
});

test('what others have written into the conditions stays', () => {
  const own = { type: 'Mine', status: 'True', lastTransitionTime: '2029-01-01T00:00:00Z', reason: 'R', message: 'm' };
  assert.deepEqual(nextConditions([own], NOTHING, NOW_MS)?.[0], own);
});
