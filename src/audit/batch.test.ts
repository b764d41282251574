import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog, StillClock } from '#base';
import { createBatch, type BatchOptions } from './batch.ts';
import type { AuditEvent } from './event.ts';
import type { AuditObserver, Sink } from './sink.ts';

const event = (id: number): AuditEvent => ({ auditID: String(id) }) as unknown as AuditEvent;

function open(options: Partial<BatchOptions>, deliver?: () => Promise<void>, own?: Sink) {
  const clock = new StillClock();
  const batches: string[][] = [];
  let lost = 0;
  const sink: Sink = {
    name: 'test',
    async deliver(events) {
      batches.push(events.map(({ auditID }) => auditID));
      await deliver?.();
    },
    close: () => Promise.resolve(),
  };
  const observer: AuditObserver = { level() {}, event() {}, rejected() {}, lost: (_sink, count) => void (lost += count) };
  const backend = createBatch(own ?? sink, { bufferSize: 10, maxSize: 3, maxWaitMs: 1_000, atOnce: 8, clock, observer, log: silentLog, ...options });
  return { clock, batches, backend, lost: () => lost };
}

test('a full batch goes at once, a part when it has waited', () => {
  const { clock, batches, backend } = open({});
  for (let id = 1; id <= 4; id++) assert.equal(backend.record(event(id)), true);
  assert.deepEqual(batches, [['1', '2', '3']]);
  clock.turn(999);
  assert.equal(batches.length, 1);
  clock.turn(1);
  assert.deepEqual(batches[1], ['4']);
});

test('where nothing is to be waited for, each event goes at once', () => {
  const { batches, backend } = open({ maxWaitMs: 0 });
  for (let id = 1; id <= 2; id++) assert.equal(backend.record(event(id)), true);
  assert.deepEqual(batches, [['1'], ['2']]);
});

test('each part waits its whole time, whatever has gone before it', () => {
  const { clock, batches, backend } = open({});
  void backend.record(event(1));
  clock.turn(900);
  for (let id = 2; id <= 4; id++) void backend.record(event(id));
  for (const id of ['4', '5']) {
    const before = [...batches];
    clock.turn(999);
    assert.deepEqual(batches, before);
    clock.turn(1);
    assert.deepEqual(batches, [...before, [id]]);
    void backend.record(event(5));
  }
});

test('deliveries are throttled, and a pause fills up no more than the burst', () => {
  const { clock, batches, backend } = open({ maxSize: 1, throttle: { perSecond: 2, burst: 2 } });
  for (let id = 1; id <= 5; id++) void backend.record(event(id));
  assert.equal(batches.length, 2);
  clock.turn(500);
  assert.equal(batches.length, 3);
  clock.turn(1_000);
  assert.equal(batches.length, 5);
  clock.turn(60_000);
  for (let id = 6; id <= 10; id++) void backend.record(event(id));
  assert.equal(batches.length, 7);
});

test('what the buffer cannot hold is lost and counted; requests go on', async () => {
  const { backend, lost, batches } = open({ bufferSize: 2, maxSize: 100 });
  for (let id = 1; id <= 5; id++) assert.equal(backend.record(event(id)), true);
  assert.equal(lost(), 3);
  await backend.close();
  assert.deepEqual(batches, [['1', '2']]);
});

test('closing delivers all that waits, whatever the throttle says, and failures are counted', async () => {
  const { backend, batches, lost } = open({ maxSize: 2, atOnce: 1, throttle: { perSecond: 1, burst: 1 } }, () => Promise.reject(new Error('gone')));
  for (let id = 1; id <= 5; id++) void backend.record(event(id));
  await backend.close();
  assert.deepEqual(batches, [['1', '2'], ['3', '4'], ['5']]);
  assert.equal(lost(), 5);
});

test('what comes after the end is lost and counted: a sink that was closed gets nothing more', async () => {
  const { backend, batches, lost } = open({ maxSize: 1 });
  const closed = backend.close();
  assert.equal(backend.record(event(1)), true);
  await closed;
  assert.equal(backend.record(event(2)), true);
  assert.deepEqual([batches, lost()], [[], 2]);
});

test('a sink that fails at once, before there is a promise, loses its events and nothing else', async () => {
  const sink: Sink = {
    name: 'broken',
    deliver() {
      throw new Error('no connection');
    },
    close: () => Promise.resolve(),
  };
  const { backend, lost, clock } = open({ maxSize: 2 }, undefined, sink);
  for (let id = 1; id <= 3; id++) assert.equal(backend.record(event(id)), true);
  clock.turn(1_000);
  await backend.close();
  assert.equal(lost(), 3);
});

test('no more deliveries run at once than may, and closing hurries the sink and waits for all of them before it is closed', async () => {
  const done: string[] = [];
  const held: (() => void)[] = [];
  const sink: Sink = {
    name: 'slow',
    async deliver([first]) {
      await new Promise<void>((resolve) => held.push(resolve));
      done.push(String(first?.auditID));
    },
    hurry: () => void done.push('hurried'),
    async close() {
      await new Promise(setImmediate);
      done.push('closed');
    },
  };
  const { backend } = open({ maxSize: 1, atOnce: 2 }, undefined, sink);
  for (let id = 1; id <= 3; id++) void backend.record(event(id));
  assert.equal(held.length, 2);
  const closed = backend.close();
  while (done.length < 4) {
    held.shift()?.();
    await new Promise(setImmediate);
  }
  await closed;
  assert.deepEqual(done, ['hurried', '1', '2', '3', 'closed']);
});

test('however many events come while no time passes, no more deliveries leave than the burst', () => {
  const { batches, backend } = open({ maxSize: 1, bufferSize: 1_000, atOnce: 1_000, throttle: { perSecond: 10, burst: 2 } });
  for (let id = 1; id <= 1_000; id++) void backend.record(event(id));
  assert.deepEqual(batches, [['1'], ['2']]);
});

test('a part that has waited and may not go yet goes when the throttle lets it', () => {
  const { clock, batches, backend } = open({ throttle: { perSecond: 0.1, burst: 1 } });
  void backend.record(event(1));
  clock.turn(1_000);
  void backend.record(event(2));
  clock.turn(1_000);
  assert.deepEqual(batches, [['1']]);
  clock.turn(10_000);
  assert.deepEqual(batches, [['1'], ['2']]);
});

test('a batch that fills up while a part of it waits goes when the throttle lets it, though nothing else comes', () => {
  const { clock, batches, backend } = open({ maxSize: 2, maxWaitMs: 30_000, throttle: { perSecond: 10, burst: 1 } });
  for (let id = 1; id <= 4; id++) void backend.record(event(id));
  assert.deepEqual(batches, [['1', '2']]);
  clock.turn(99);
  assert.equal(batches.length, 1);
  clock.turn(1);
  assert.deepEqual(batches, [['1', '2'], ['3', '4']]);
});

const MIB = 1024 * 1024;

test('a batch is full with fewer events where they are large, and waits for no others', () => {
  const { clock, batches, backend } = open({ maxSize: 100 });
  for (const [at, mebibytes] of [4, 4, 1, 7, 20, 1, 6].entries()) void backend.record(event(at + 1), mebibytes * MIB);
  assert.deepEqual(batches, [['1', '2'], ['3', '4'], ['5']]);
  clock.turn(1_000);
  assert.deepEqual(batches.slice(3), [['6', '7']]);
});

test('what waits for a turn leaves in batches that are full and no larger', async () => {
  const free: (() => void)[] = [];
  const { clock, batches, backend } = open({ maxSize: 3, atOnce: 1 }, () => new Promise<void>((resolve) => free.push(resolve)));
  for (const [id, bytes] of [8 * MIB, 4 * MIB, 4 * MIB, 1, 1, 1, 4 * MIB].entries()) void backend.record(event(id), bytes);
  while (free.length > 0) {
    free.shift()?.();
    await new Promise(setImmediate);
  }
  assert.deepEqual(batches, [['0'], ['1', '2'], ['3', '4', '5']]);
  clock.turn(1_000);
  assert.deepEqual(batches[3], ['6']);
});

test('while a sink is down, large events are held up to a bound, those on their way to it included; one that is larger is held beside small ones only', async () => {
  const free: (() => void)[] = [];
  const { batches, backend, lost } = open({ maxSize: 1, atOnce: 1 }, () => new Promise<void>((resolve) => free.push(resolve)));
  const record = (...mebibytes: readonly number[]): void => {
    for (const one of mebibytes) assert.equal(backend.record(event(one), one * MIB), true);
  };
  const freeAll = async (): Promise<void> => {
    while (free.length > 0) {
      free.shift()?.();
      await new Promise(setImmediate);
    }
  };
  record(20, 21, 22, 23, 1, 2, 0);
  assert.equal(lost(), 2);
  await freeAll();
  assert.deepEqual(batches.splice(0), [['20'], ['21'], ['22'], ['1'], ['0']]);
  record(65, 1, 1 / 256);
  assert.equal(lost(), 3);
  await freeAll();
  record(64, 0);
  await freeAll();
  assert.deepEqual([batches, lost()], [[['65'], [String(1 / 256)], ['64'], ['0']], 3]);
});

test('a spell in which events are lost is told once, and the next spell is told again', async () => {
  let refusal: string | undefined;
  const told: unknown[] = [];
  const log = { ...silentLog, error: (_message: string, fields?: Readonly<Record<string, unknown>>) => void told.push(fields?.['error']) };
  const { backend } = open({ maxSize: 1, log }, () => (refusal === undefined ? Promise.resolve() : Promise.reject(new Error(refusal))));
  for (const why of ['full', 'full', undefined, 'full again', 'full again']) {
    refusal = why;
    void backend.record(event(1));
    await new Promise(setImmediate);
  }
  assert.deepEqual(told, ['full', 'full again']);
});
