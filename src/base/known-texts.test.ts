import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KnownTexts } from './known-texts.ts';

test('what is made of a text is made once, unless it is long or nothing', () => {
  const made: string[] = [];
  const known = new KnownTexts({ max: 100, maxLength: 4 }, (text) => {
    made.push(text);
    return text === 'none' ? undefined : { text };
  });
  for (const text of ['a', '__proto__', 'none', '']) assert.deepEqual(known.of(text), text === 'none' ? undefined : { text });
  assert.equal(known.of('a'), known.of('a'));
  known.of('__proto__');
  known.of('none');
  assert.deepEqual(made, ['a', '__proto__', 'none', '', '__proto__', 'none']);
  for (let n = 0; n < 1_000; n++) known.of(`${n}`);
  assert.deepEqual([known.of('a'), made.at(-1)], [{ text: 'a' }, 'a'], 'what nobody asks for is forgotten');
});
