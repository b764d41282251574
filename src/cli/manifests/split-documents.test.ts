import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { splitDocuments } from './split-documents.ts';

const split = (text: string): readonly (readonly [string, number])[] => splitDocuments(text).map((one) => [one.text.trim(), one.line]);

describe('splitDocuments', () => {
  test('an empty text has none', () => assert.deepEqual(split('\n# nothing\n---\n\n'), []));
  test('one without marker', () => assert.deepEqual(split('a: 1\n'), [['a: 1', 0]]));
  test('markers with comments, content and Windows line ends', () =>
    assert.deepEqual(split('--- # first\r\na: 1\r\n---\r\nb: 2\n--- {c: 3}\n'), [['# first\r\na: 1', 0], ['b: 2', 2], ['{c: 3}', 4]]));
  test('directives and end markers are no documents', () => assert.deepEqual(split('%YAML 1.1\n---\na: 1\n...\n---\nb: 2'), [['a: 1', 1], ['b: 2', 4]]));
  test('dashes that only look like a marker', () =>
    assert.deepEqual(split('a: |\n  ---\n  x\n----: 1\n---x: 2'), [['a: |\n  ---\n  x\n----: 1\n---x: 2', 0]]));
});
