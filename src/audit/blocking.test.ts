import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '#base';
import { collectGarbage } from '#test-support';
import { createBlocking } from './blocking.ts';
import type { AuditEvent } from './event.ts';

test('a spell in which events are lost is told once, as is its end with how many they were; each event is counted, and the next spell is told again', async () => {
  let refusal: string | undefined;
  let lost = 0;
  const told: unknown[] = [];
  const sink = { name: 'log', deliver: () => (refusal === undefined ? Promise.resolve() : Promise.reject(new Error(refusal))), close: () => Promise.resolve() };
  const observer = { level() {}, event() {}, rejected() {}, lost: () => void lost++ };
  const tell = (_message: string, fields?: Readonly<Record<string, unknown>>): void => void told.push(fields?.['error'] ?? fields?.['lost']);
  const backend = createBlocking(sink, { isStrict: true, observer, log: { ...silentLog, error: tell, warn: tell } });
  const record = async (why: string | undefined): Promise<boolean> => {
    refusal = why;
    return backend.record({} as AuditEvent);
  };
  const outcomes = [];
  for (const why of ['full', 'full', 'full', undefined, undefined, 'full again', 'full again']) outcomes.push(await record(why));
  assert.deepEqual(outcomes, [false, false, false, true, true, false, false]);
  assert.equal(lost, 5);
  assert.deepEqual(told, ['full', 3, 'full again']);
});

test('what comes after the end is lost and counted: a sink that was closed gets nothing more', async () => {
  const done: string[] = [];
  let lost = 0;
  const sink = { name: 'log', deliver: async () => void done.push('delivered'), close: async () => void done.push('closed') };
  const observer = { level() {}, event() {}, rejected() {}, lost: () => void lost++ };
  const backend = createBlocking(sink, { isStrict: false, observer, log: silentLog });
  const last = backend.record({} as AuditEvent);
  await backend.close();
  assert.deepEqual([await last, await backend.record({} as AuditEvent)], [true, true]);
  assert.deepEqual([done, lost], [['delivered', 'closed'], 1]);
});

test('the end waits for what is being delivered, and asks its sink not to wait with another attempt', async () => {
  const done: string[] = [];
  let deliver = (): void => {};
  const sink = {
    name: 'log',
    deliver: () => new Promise<void>((resolve) => (deliver = resolve)).then(() => void done.push('delivered')),
    hurry: () => void done.push('hurried'),
    async close() {
      await new Promise(setImmediate);
      done.push('closed');
    },
  };
  const observer = { level() {}, event() {}, rejected() {}, lost: () => void done.push('lost') };
  const backend = createBlocking(sink, { isStrict: true, observer, log: silentLog });
  const recorded = backend.record({} as AuditEvent);
  const closed = backend.close();
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  assert.deepEqual(done, ['hurried']);
  deliver();
  assert.equal(await recorded, true);
  await closed;
  assert.deepEqual(done, ['hurried', 'delivered', 'closed']);
});

test('nothing is kept of what was delivered or lost', async () => {
  for (const outcome of ['delivered', 'lost']) {
    const sink = { name: 'log', deliver: () => (outcome === 'lost' ? Promise.reject(new Error('full')) : Promise.resolve()), close: () => Promise.resolve() };
    const observer = { level() {}, event() {}, rejected() {}, lost() {} };
    const backend = createBlocking(sink, { isStrict: true, observer, log: silentLog });
    const recorded = new WeakRef(backend.record({} as AuditEvent) as Promise<boolean>);
    await recorded.deref();
    await collectGarbage();
    assert.equal(recorded.deref(), undefined, outcome);
    await backend.close();
  }
});
