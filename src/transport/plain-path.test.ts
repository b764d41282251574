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
  '/a%2Fb//%2E': '/a/b',
  '/%2e%2e/a%20b': '/a%20b',
  "/!'()*$&+,;=:@~": '/%21%27%28%29%2A$&+,;=:@~',
  '/a%3Fb%23c%25': '/a%3Fb%23c%25',
  '/[%5B|%C3%A9': '/%5B%5B%7C%C3%A9',
  '/a//%ff/%2F': '/a/%ff/%2F',
};

test('a path is called without what leads nowhere', () => {
  for (const [given, called] of Object.entries(SPELLED)) assert.equal(plainPath(given), called, given);
});
