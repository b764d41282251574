import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog, StillClock } from '#base';
import { brandOf } from '#api';
import { createBatch } from './batch.ts';
import type { AuditEvent } from './event.ts';
import type { AuditObserver, Sink } from './sink.ts';
import { truncating } from './truncate.ts';

test('what is too large for one delivery goes in several, in order; what is too large without its objects is lost and counted', async () => {
  const batches: string[][] = [];
  let lost = 0;
  const sink: Sink = {
    name: 'test',
    async deliver(events) {
      batches.push(events.map(({ auditID }) => auditID[0] ?? ''));
      if (events.some(({ auditID }) => auditID.startsWith('!'))) throw new Error('refused');
    },
    close: () => Promise.resolve(),
  };
  const observer: AuditObserver = { level() {}, event() {}, rejected() {}, lost: (_sink, count) => void (lost += count) };
  /** An event of so many bytes. */
  const event = (id: string, bytes: number): AuditEvent => ({ auditID: id.padEnd(bytes - JSON.stringify({ auditID: '' }).length) }) as unknown as AuditEvent;
  const within = (maxBatchBytes: number): Sink => truncating(sink, { maxEventBytes: 100, maxBatchBytes, brand: brandOf('orch'), observer });
  const limited = within(150);
  await limited.deliver([event('a', 50), event('b', 100), event('c', 50), event('d', 101), event('e', 50), event('f', 50), event('g', 100)]);
  assert.deepEqual(batches, [['a', 'b'], ['c', 'e', 'f'], ['g']]);
  assert.equal(lost, 1);
  await limited.deliver([event('h', 200)]);
  assert.deepEqual([batches.length, lost], [3, 2]);
  await within(60).deliver([event('i', 100), event('j', 100)]);
  assert.deepEqual(batches.slice(3), [['i'], ['j']], 'nothing goes where there is nothing to send');
  await assert.rejects(within(60).deliver([event('k', 50), event('!', 100), event('l', 100)]), /refused/);
  assert.deepEqual(batches.slice(5), [['k'], ['!'], ['l']], 'a part that is refused keeps none back');
});

test('an event that is too large loses its objects and nothing else, and says so; only where that is not enough it is lost', async () => {
  const delivered: (readonly AuditEvent[])[] = [];
  let lost = 0;
  const sink: Sink = { name: 'test', deliver: async (events) => void delivered.push(events), close: () => Promise.resolve() };
  const observer: AuditObserver = { level() {}, event() {}, rejected() {}, lost: (_sink, count) => void (lost += count) };
  const brand = brandOf('orch');
  const event = (annotations: object, objects: object): AuditEvent => ({ auditID: 'a', user: { username: 'é' }, ...objects, annotations }) as unknown as AuditEvent;
  const small = event({ 'example.com/why': 'so', [`${brand.group('audit')}/truncated`]: 'true' }, {});
  const smallBytes = Buffer.byteLength(JSON.stringify(small));
  for (const maxEventBytes of [smallBytes, smallBytes - 1]) {
    const large = event({ 'example.com/why': 'so' }, { requestObject: 'x'.repeat(200), responseObject: { kind: 'Pod' } });
    await truncating(sink, { maxEventBytes, maxBatchBytes: 1_000, brand, observer }).deliver([large]);
  }
  assert.deepEqual([delivered, lost], [[[small]], 1]);
});

test('of a batch that goes in parts, what did not arrive counts as lost, each event once', async () => {
  let [lost, arrived, refused] = [0, 0, 0];
  const sink: Sink = {
    name: 'test',
    async deliver(events) {
      if (events.some(({ auditID }) => auditID.startsWith('!'))) throw new Error(`refused ${++refused}`);
      arrived += events.length;
    },
    close: () => Promise.resolve(),
  };
  const observer: AuditObserver = { level() {}, event() {}, rejected() {}, lost: (_sink, count) => void (lost += count) };
  const logged: unknown[] = [];
  const log = { ...silentLog, error: (message: string, fields?: object) => void logged.push({ message, ...fields }) };
  const limited = truncating(sink, { maxEventBytes: 100, maxBatchBytes: 150, brand: brandOf('orch'), observer });
  const backend = createBatch(limited, { bufferSize: 10, maxSize: 10, maxWaitMs: 1_000, atOnce: 1, clock: new StillClock(), observer, log });
  for (const id of ['a', 'b', '!', 'c', '!', 'too large'.padEnd(200)]) void backend.record({ auditID: id.padEnd(80) } as unknown as AuditEvent);
  await backend.close();
  assert.deepEqual({ arrived, lost }, { arrived: 3, lost: 3 });
  assert.deepEqual(logged, [{ message: 'audit events were lost', sink: 'test', count: 2, error: 'refused 1' }]);
});

test('the sink behind it is told to hurry, where it can, and closed', async () => {
  const told: string[] = [];
  const sink: Sink = { name: 'test', deliver: async () => {}, hurry: () => void told.push('hurry'), close: async () => void told.push('close') };
  const observer: AuditObserver = { level() {}, event() {}, rejected() {}, lost() {} };
  const { hurry: _hurry, ...patient } = sink;
  for (const behind of [sink, patient]) {
    const limited = truncating(behind, { maxEventBytes: 100, maxBatchBytes: 150, brand: brandOf('orch'), observer });
    limited.hurry?.();
    await limited.close();
  }
  assert.deepEqual(told, ['hurry', 'close', 'close']);
});
