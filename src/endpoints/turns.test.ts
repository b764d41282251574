import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turns } from './turns.ts';

test('a turn that is over is followed by another one, unless nobody waits for the answer any more', async () => {
  const request = new AbortController();
  const turns = new Turns(request);
  assert.equal(turns.after(1), undefined);
  assert.equal(await turns.after(1_000), undefined);
  const due = turns.after(1_000);
  const reason = new Error('the client is gone');
  request.abort(reason);
  assert.ok(due !== undefined);
  await assert.rejects(due, reason);
});
