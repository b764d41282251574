import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareResponse, isUnluckyDraw } from './runner/lib/diff.mjs';

const service = (nodePort, name = 'a') => ({ status: 201, headers: {}, json: { metadata: { name }, spec: { ports: [{ port: 80, nodePort }] } } });
const diffs = (expected, got) => compareResponse(expected, got, {});

test('a drawn port that the scenario spells out elsewhere says nothing; anything else that differs does', () => {
  assert.deepEqual(diffs(service('<nodePort:3>'), service(31_237)).map(isUnluckyDraw), [true]);
  assert.deepEqual(diffs(service(31_234), service(31_237)).map(isUnluckyDraw), [false]);
  assert.deepEqual(diffs(service('<nodePort:3>'), service('<nodePort:2>')).map(isUnluckyDraw), [false]);
  assert.deepEqual(diffs(service('<nodePort:3>'), service(undefined)).map(isUnluckyDraw), [false]);
  assert.deepEqual(diffs(service('<nodePort:3>'), service('<nodePort:3>', 'b')).map(isUnluckyDraw), [false]);
});
