import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { silentLog } from '#base';
import { outliveFaults } from './outlive-faults.ts';

test('a failure that nobody awaited is logged with its stack', () => {
  const program = new EventEmitter();
  const logged: unknown[] = [];
  outliveFaults({ ...silentLog, error: (...words) => void logged.push(words) }, program as unknown as NodeJS.Process);
  const cause = new Error('refused');
  program.emit('unhandledRejection', cause, Promise.resolve());
  assert.deepEqual(logged, [['a failure that nobody awaited: this is a fault of the server, please report it', { error: cause.stack }]]);
});
