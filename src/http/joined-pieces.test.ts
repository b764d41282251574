import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joined } from './joined-pieces.ts';
import { bytes } from './test-support.ts';

test('the same pieces are put together once, for all who get them in turn; others anew', () => {
  const [one, two, three] = [bytes('one'), bytes('two'), bytes('three')];
  assert.equal(joined([one]), one);
  const whole = joined([one, two]);
  assert.equal(Buffer.from(whole).toString(), 'onetwo');
  assert.equal(joined([one, two]), whole);
  assert.equal(Buffer.from(joined([one, two, three])).toString(), 'onetwothree');
  assert.equal(Buffer.from(joined([two, one])).toString(), 'twoone');
  assert.equal(Buffer.from(joined([bytes('two'), one])).toString(), 'twoone');
});
