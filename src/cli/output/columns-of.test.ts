import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnsOf } from './columns-of.ts';

const WIDTHS: Readonly<Record<string, number>> = {
  '': 0,
  plain: 5,
  'élève': 5,
  'e\u0301le\u0300ve': 5,
  日本語: 6,
  'ｶﾀｶﾅ': 4,
  ｆｕｌｌ: 8,
  한국어: 6,
  '✅': 2,
  '❤️': 2,
  '🇩🇪': 2,
  '👩‍👩‍👧': 2,
  'z\u200b': 1,
  'Ωμέγα…': 6,
};

for (const [text, columns] of Object.entries(WIDTHS)) test(`${JSON.stringify(text)} takes ${columns} columns of a terminal`, () => assert.equal(columnsOf(text), columns));
