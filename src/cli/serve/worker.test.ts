import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownFile, tellsHowToConnect } from './worker.ts';

test('every worker but the first writes files of its own', () => {
  const path = '/var/log/orch/audit.log';
  assert.equal(ownFile(path, {}), path);
  assert.equal(ownFile(path, { ORCH_WORKER: '1' }), path);
  assert.equal(ownFile(path, { ORCH_WORKER: '3' }), '/var/log/orch/audit.3.log');
  assert.equal(ownFile('audit', { ORCH_WORKER: '2' }), 'audit.2');
});

test('all workers write to the same output, pipe or device', () => {
  for (const path of ['-', '/dev/null']) assert.equal(ownFile(path, { ORCH_WORKER: '2' }), path);
});

test('a server alone, and the worker that serves first, write how to connect; later workers do not', () => {
  assert.equal(tellsHowToConnect({}), true);
  assert.equal(tellsHowToConnect({ ORCH_WORKER: '1' }), true);
  assert.equal(tellsHowToConnect({ ORCH_WORKER: '1', ORCH_LATER_WORKER: 'true' }), false);
});
