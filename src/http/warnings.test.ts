import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Warnings } from './warnings.ts';

const sentOf = (texts: readonly string[]): readonly string[] => {
  const warnings = new Warnings();
  for (const text of texts) warnings.add(text);
  return warnings.headerValues().map((value) => Buffer.from(value, 'latin1').toString().slice('299 - "'.length, -1));
};

test('warnings are whole up to their bound; beyond it each is shortened, and the one that reaches the bound is the last', () => {
  const whole = ['x'.repeat(4_000), 'y'.repeat(96)];
  assert.deepEqual(sentOf(whole), whole);
  assert.deepEqual(sentOf([...whole, 'z']), ['x'.repeat(256), 'y'.repeat(96), 'z']);
  const many = Array.from({ length: 50 }, (_, at) => `${at} ${'y'.repeat(200)}`);
  const sent = sentOf(['x'.repeat(300), ...many]);
  // 256 characters, and 19 texts of 202 or 203.
  assert.deepEqual(sent, ['x'.repeat(256), ...many.slice(0, 19)]);
});

test('warnings that make room as they are shortened leave it to those behind them', () => {
  const texts = ['x'.repeat(4_000), 'y'.repeat(200), 'z'.repeat(300), 'z'.repeat(301), 'last'];
  assert.deepEqual(sentOf(texts), ['x'.repeat(256), 'y'.repeat(200), 'z'.repeat(256), 'z'.repeat(256), 'last']);
});

test('a warning that says nothing is none, and one that comes again is one', () => {
  assert.deepEqual(sentOf(['', 'a', '', 'b', 'a']), ['a', 'b']);
});

test('warnings are counted and cut by characters, not by units or bytes', () => {
  const wide = '\u{1f600}'.repeat(4_096);
  assert.deepEqual(sentOf([wide]), [wide]);
  assert.deepEqual(sentOf([wide, 'a']), ['\u{1f600}'.repeat(256), 'a']);
});
