import assert from 'node:assert/strict';
import { test } from 'node:test';
import { untilStopped } from './until-stopped.ts';

test('work that a signal stops ends with the exit code of that signal, once it has cleared away; work that is over by then with its own', async () => {
  let isCleared = false;
  const stopped = untilStopped(async (stop) => {
    await new Promise((resolve) => stop.addEventListener('abort', resolve));
    isCleared = true;
    return stop.throwIfAborted(), 0;
  });
  process.emit('SIGTERM', 'SIGTERM');
  assert.deepEqual([await stopped, isCleared], [143, true]);
});
