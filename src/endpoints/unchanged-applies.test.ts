import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject } from '#api';
import { changedNothing, remember, type AppliedBefore } from './unchanged-applies.ts';

const object = (): ApiObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
const served = { version: 'v1' };
const APPLIED: AppliedBefore = { body: Buffer.from('{"data":{}}'), manager: 'm', isForced: false, served, subresource: '' };

test('only the very same apply of the very same object is known to change nothing', () => {
  const live = object();
  assert.equal(changedNothing(live, APPLIED), false);
  remember(live, APPLIED);
  assert.equal(changedNothing(live, { ...APPLIED, body: Buffer.from('{"data":{}}') }), true);
  const others: readonly Partial<AppliedBefore>[] = [
    { body: Buffer.from('{"data":{} }') },
    { body: Buffer.from('') },
    { manager: 'n' },
    { isForced: true },
    { served: { version: 'v1' } },
    { subresource: 'status' },
  ];
  for (const other of others) assert.equal(changedNothing(live, { ...APPLIED, ...other }), false, JSON.stringify(other));
  assert.equal(changedNothing(object(), APPLIED), false);
});

test('long ones are not kept', () => {
  const live = object();
  const long = { ...APPLIED, body: Buffer.alloc(64 * 1024 + 1) };
  remember(live, long);
  assert.equal(changedNothing(live, long), false);
});
