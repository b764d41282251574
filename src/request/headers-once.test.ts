import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headersOnce } from './headers-once.ts';

test('the same object in is the same object out; another one is added to anew', () => {
  let calls = 0;
  const add = headersOnce((headers) => {
    calls += 1;
    return { ...headers, a: '1' };
  });
  const shared = { b: '2' };
  const made = add(shared);
  assert.deepEqual(made, { b: '2', a: '1' });
  assert.equal(add(shared), made);
  assert.equal(calls, 1);
  assert.deepEqual(add({ b: '2' }), made);
  assert.equal(calls, 2);
});
