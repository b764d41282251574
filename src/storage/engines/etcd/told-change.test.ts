import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAsTold, toldChange } from './told-change.ts';

const entry = (modRevision: number, value: string, version = 2): { key: Buffer; value: Buffer; modRevision: number; version: number } => ({
  key: Buffer.from('/a'),
  value: Buffer.from(value),
  modRevision,
  version,
});

/** Whether a history in which the key stood so, by revision, is one in which the change was told. */
const isKeptBy = (change: ReturnType<typeof toldChange>, history: Readonly<Record<number, ReturnType<typeof entry>>>): boolean =>
  change.states.every((state) => isAsTold(state, history[state.at]));

test('a write is found again by its revision and its value, however the key was written before', () => {
  const written = toldChange({ deleted: false, entry: entry(9, 'x'), before: entry(5, 'w') });
  assert.equal(isKeptBy(written, { 8: entry(5, 'w'), 9: entry(9, 'x') }), true);
  for (const other of [{}, { 9: entry(5, 'w') }, { 9: entry(9, 'y') }, { 9: entry(8, 'x') }]) assert.equal(isKeptBy(written, other), false);
});

test('a deletion is found again where the key is not there, and was there one revision before', () => {
  const removed = toldChange({ deleted: true, entry: entry(9, '', 0), before: entry(5, 'w') });
  assert.equal(isKeptBy(removed, { 8: entry(5, 'w') }), true);
  for (const other of [{}, { 8: entry(5, 'w'), 9: entry(5, 'w') }, { 8: entry(7, 'w') }, { 8: entry(5, 'v') }]) assert.equal(isKeptBy(removed, other), false);
  assert.equal(isKeptBy(toldChange({ deleted: true, entry: entry(9, '', 0), before: undefined }), {}), true);
});
