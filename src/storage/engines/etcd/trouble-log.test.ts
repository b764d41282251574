import assert from 'node:assert/strict';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { StillClock } from '#base';
import { ForeignMember } from './continuity.ts';
import { TroubleLog } from './trouble-log.ts';

const late = (seconds: string): unknown => ({ code: status.DEADLINE_EXCEEDED, details: `Deadline exceeded after ${seconds},LB pick: 0.001s,remote_addr=127.0.0.1:2379` });
const refused: unknown = { code: status.UNAVAILABLE, details: 'No connection established. Last error: Error: connect ECONNREFUSED 127.0.0.1:2379. Resolution note: ' };

test('the same reason is logged once in ten minutes, however long a call waited, another one at once, and then once that etcd answers again', () => {
  const lines: unknown[] = [];
  const clock = new StillClock();
  const trouble = new TroubleLog({ log: (message, fields) => void lines.push([message, fields?.['cause']]), clock });
  trouble.answered();
  for (const error of [late('3.001s'), late('2.998s'), refused, late('3.000s'), refused]) trouble.failed(error);
  assert.deepEqual(lines.splice(0), [
    ['etcd cannot be used just now', 'etcd: a call failed: no answer of 127.0.0.1:2379 within 3.001s. Perhaps too few of its members run: it answers while more than half of them do'],
    ['etcd cannot be used just now', 'etcd: a call failed: connect ECONNREFUSED 127.0.0.1:2379'],
  ]);
  for (let i = 0; i < 2; i++) trouble.answered();
  assert.deepEqual(lines.splice(0), [['etcd answers again', undefined]]);
  trouble.failed(refused);
  trouble.answered();
  assert.deepEqual(lines, []);
  clock.turn(600_000);
  trouble.failed(refused);
  assert.equal(lines.length, 1);
});

test('that there is no space left is logged once in ten minutes, with what to do, and no answer to a read takes it back', () => {
  const lines: unknown[] = [];
  const trouble = new TroubleLog({ log: (message, fields) => void lines.push([message, fields?.['cause']]), clock: new StillClock() });
  for (let i = 0; i < 2; i++) {
    trouble.failed({ code: status.RESOURCE_EXHAUSTED, details: 'etcdserver: mvcc: database space exceeded' });
    trouble.answered();
  }
  const cause = 'etcd: a call failed: etcdserver: mvcc: database space exceeded. Compact and defragment it, or raise --quota-backend-bytes, and disarm its alarm';
  assert.deepEqual(lines, [['etcd takes no writes just now', cause]]);
});

test('what is the fault of a request, or said elsewhere, is not logged', () => {
  const trouble = new TroubleLog({ log: assert.fail, clock: new StillClock() });
  for (const details of ['etcdserver: mvcc: required revision has been compacted', 'etcdserver: mvcc: required revision is a future revision']) trouble.failed({ code: status.OUT_OF_RANGE, details });
  trouble.failed({ code: status.NOT_FOUND, details: 'etcdserver: requested lease not found' });
  trouble.failed({ code: status.INVALID_ARGUMENT, details: 'etcdserver: request is too large' });
  trouble.failed(new ForeignMember('127.0.0.1:2379', 5n));
  trouble.answered();
});
