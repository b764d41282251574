import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Run, Stored } from '#registry';
import { isJoined, joinedRun } from './joined-runs.ts';

const runOf = (count: number): Run => ({ items: Array.from({ length: count }, (_, n) => ({ key: `/${n}` }) as Stored) });
const listOf = (...items: readonly string[]) => (): readonly Uint8Array[] => ['{"items":[', ...items, ']}'].map((text) => Buffer.from(text));
const text = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString();

test('a run is joined when it is listed again, without what stands around the items, and then kept', () => {
  const run = runOf(2);
  assert.equal(joinedRun(run, 'List v1', listOf('a', ',', 'b')), undefined);
  assert.equal(isJoined(run, 'List v1'), false);
  const joined = joinedRun(run, 'List v1', listOf('a', ',', 'b'));
  assert.equal(text(joined), 'a,b');
  assert.deepEqual(['List v1', 'List v2'].map((form) => isJoined(run, form)), [true, false]);
  assert.equal(joinedRun(run, 'List v1', () => assert.fail('made again')), joined);
});

test('each form is made for itself', () => {
  const run = runOf(2);
  const list = listOf('a', ',', 'b');
  for (const form of ['List v1', 'List v2']) {
    assert.equal(joinedRun(run, form, list), undefined, form);
    assert.equal(text(joinedRun(run, form, listOf(form))), form);
  }
});

test('single entries and large ones are not joined: it would copy them for nothing', () => {
  const [single, large] = [runOf(1), runOf(2)];
  for (let time = 0; time < 3; time++) {
    assert.equal(joinedRun(single, 'List v1', listOf('a')), undefined);
    assert.equal(joinedRun(large, 'List v1', listOf('x'.repeat(200_000), ',', 'x'.repeat(200_000))), undefined);
  }
});
