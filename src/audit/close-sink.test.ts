import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog, StillClock } from '#base';
import { createBatch } from './batch.ts';
import { createBlocking } from './blocking.ts';
import type { AuditObserver, Sink } from './sink.ts';

const observer: AuditObserver = { level() {}, event() {}, rejected() {}, lost() {} };

test('a sink that cannot be closed is told, and its backend ends all the same', async () => {
  const told: string[] = [];
  const log = { ...silentLog, error: (message: string) => void told.push(message) };
  const closes: readonly Sink['close'][] = [
    () => Promise.reject(new Error('gone')),
    () => {
      throw new Error('gone');
    },
  ];
  for (const close of closes) {
    const sink: Sink = { name: 'own', deliver: () => Promise.resolve(), close };
    await createBatch(sink, { bufferSize: 1, maxSize: 1, maxWaitMs: 0, atOnce: 1, clock: new StillClock(), observer, log }).close();
    await createBlocking(sink, { isStrict: false, observer, log }).close();
  }
  assert.deepEqual(told, Array<string>(4).fill('an audit sink could not be closed'));
});
