import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainPath } from './plain-path.ts';

const SPELLED: Readonly<Record<string, string>> = {
  '': '/',
  '/': '/',
  '//': '/',
  '/check': '/check',
  '/check/': '/check',
  '//check': '/check',
  '/a//b/./c/../d/': '/a/b/d',
  '/../a': '/a',
  '/a%2Fb//%2E': '/a%2Fb/%2E',
};

test('a path is called without what leads nowhere', () => {
  for (const [given, called] of Object.entries(SPELLED)) assert.equal(plainPath(given), called, given);
});
