import assert from 'node:assert/strict';
import test from 'node:test';
import { headerText, textOfHeader } from './header-text.ts';

test('values of headers are bytes of UTF-8', () => {
  assert.equal(textOfHeader('plain'), 'plain');
  assert.equal(textOfHeader(Buffer.from('Jos\u00e9 \u{1f600}').toString('latin1')), 'Jos\u00e9 \u{1f600}');
  // What is no UTF-8 is nobody's name.
  assert.equal(textOfHeader('Jos\u00e9'), 'Jos\ufffd');
  assert.equal(headerText(new Map([['a', ['Ã¼', 'x']]]), 'a'), '\u00fc');
  assert.equal(headerText(new Map(), 'a'), '');
});
