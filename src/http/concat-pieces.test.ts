import assert from 'node:assert/strict';
import { test } from 'node:test';
import { concatCached } from './concat-pieces.ts';
import { bytes } from './test-support.ts';

test('the same pieces are put together once, for all who get them in turn; others anew', () => {
  const [one, two, three] = [bytes('one'), bytes('two'), bytes('three')];
  assert.equal(concatCached([one]), one);
  const whole = concatCached([one, two]);
  assert.equal(Buffer.from(whole).toString(), 'onetwo');
  assert.equal(concatCached([one, two]), whole);
  assert.equal(Buffer.from(concatCached([one, two, three])).toString(), 'onetwothree');
  assert.equal(Buffer.from(concatCached([two, one])).toString(), 'twoone');
  assert.equal(Buffer.from(concatCached([bytes('two'), one])).toString(), 'twoone');
});
