import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf } from './api-error.ts';
import { isRefusal } from './is-refusal.ts';
import { badRequest, notFound, withoutReason } from './make.ts';

const pods = notFound({ group: '', resource: 'pods' }, 'a');

test('what is no failure of the API is answered with 500, whatever code it has of its own', () => {
  assert.equal(codeOf(pods), 404);
  assert.equal(codeOf(withoutReason('words alone')), 500);
  for (const thrown of [new Error('oh'), Object.assign(new Error('reset'), { code: 'ECONNRESET' }), { code: 404 }, 'text', undefined]) assert.equal(codeOf(thrown), 500);
});

test('a failure is one for each of the reasons that are asked for, and a failure without a reason for none', () => {
  assert.ok(isRefusal(pods, 'NotFound') && isRefusal(pods, 'Gone', 'NotFound'));
  for (const thrown of [badRequest('no'), withoutReason('words alone'), { reason: 'NotFound' }, undefined]) assert.ok(!isRefusal(thrown, 'NotFound'));
  assert.ok(!isRefusal(pods));
});
