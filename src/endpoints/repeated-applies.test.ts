import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject } from '#api';
import { isRepeated, remember, type LastApply } from './repeated-applies.ts';

const object = (): ApiObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
const served = { version: 'v1' };
const APPLIED: LastApply = { body: Buffer.from('{"data":{}}'), manager: 'm', isForced: false, served, subresource: '' };

test('only the very same apply of the very same object is known to change nothing', () => {
  const live = object();
  assert.equal(isRepeated(live, APPLIED), false);
  remember(live, APPLIED);
  assert.equal(isRepeated(live, { ...APPLIED, body: Buffer.from('{"data":{}}') }), true);
  const others: readonly Partial<LastApply>[] = [
    { body: Buffer.from('{"data":{} }') },
    { body: Buffer.from('') },
    { manager: 'n' },
    { isForced: true },
    { served: { version: 'v1' } },
    { subresource: 'status' },
  ];
  for (const other of others) assert.equal(isRepeated(live, { ...APPLIED, ...other }), false, JSON.stringify(other));
  assert.equal(isRepeated(object(), APPLIED), false);
});

test('long ones are not kept', () => {
  const live = object();
  const long = { ...APPLIED, body: Buffer.alloc(64 * 1024 + 1) };
  remember(live, long);
  assert.equal(isRepeated(live, long), false);
});
