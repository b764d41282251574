import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf, createCatalog, objectTypeOf, selectableFields, type ApiObject } from '#api';
import { decode } from '#schema';
import { Event } from '../core/event.ts';
import { cellsOf, write } from '../test-support.ts';
import { fromCoreEvent, toCoreEvent } from './convert-event.ts';
import { NewEvent } from './event.ts';

const OLD = { involvedObject: { kind: 'Pod', namespace: 'n', name: 'p' } };
const NEW = { ...OLD, eventTime: '2020-01-01T00:00:00.000000Z', reportingComponent: 'a.b/c', reportingInstance: 'i', action: 'A', reason: 'R', type: 'Normal' };
const LONG = 'x'.repeat(129);

const shared: readonly (readonly [title: string, event: object, causes: readonly string[]])[] = [
  ['of old', OLD, []],
  ['of old about nothing', {}, ['Invalid involvedObject.namespace']],
  ['of old about nothing in the default namespace', { metadata: { namespace: 'default' } }, []],
  ['of old about another namespace', { involvedObject: { namespace: 'other' } }, ['Invalid involvedObject.namespace']],
  ['of old about another namespace than the default one', { involvedObject: { namespace: 'other' }, metadata: { namespace: 'default' } }, ['Invalid involvedObject.namespace']],
  ['of today', NEW, []],
  ['of today about nothing', { ...NEW, involvedObject: {} }, ['Invalid involvedObject.namespace']],
  ['of today about nothing in the namespace of the system', { ...NEW, involvedObject: {}, metadata: { namespace: 'orch-system' } }, []],
  ['of today about nothing in the default namespace', { ...NEW, involvedObject: {}, metadata: { namespace: 'default' } }, []],
  ['of today about another namespace', { ...NEW, involvedObject: { namespace: 'other' } }, []],
  ['without words', { ...NEW, reportingInstance: '', action: '', reason: '' }, ['Required reportingInstance', 'Required action', 'Required reason']],
  ['with the longest words', { ...NEW, reportingInstance: LONG.slice(1), action: LONG.slice(1), reason: LONG.slice(1), message: 'ä'.repeat(512) }, []],
  ['with long words', { ...NEW, reportingInstance: LONG, action: LONG, reason: LONG }, ['Invalid reportingInstance', 'Invalid action', 'Invalid reason']],
  ['with a long message', { ...NEW, message: `${'ä'.repeat(512)}a` }, ['Invalid message']],
  ['without reporter', { ...NEW, reportingComponent: '' }, ['Required reportingController', 'Invalid reportingController']],
];

for (const [title, body, causes] of shared) {
  test(`Event ${title}`, () => {
    assert.deepEqual(write(Event, { body }).causes, causes);
    assert.deepEqual(write(NewEvent, { body, version: 'v1beta1' }).causes, causes);
  });
}

const strict: readonly (readonly [title: string, event: object, causes: readonly string[]])[] = [
  ['as it should be', NEW, []],
  ['of old', OLD, ['Required eventTime', 'Invalid type']],
  ['with what is deprecated', { ...NEW, count: 1, firstTimestamp: '2020-01-01T00:00:00Z', source: { host: 'h' } }, ['Invalid firstTimestamp', 'Invalid count', 'Invalid source']],
  ['in a short series', { ...NEW, series: { count: 1 } }, ['Invalid series.count', 'Required series.lastObservedTime']],
  ['by a name that is no DNS name', { ...NEW, metadata: { name: 'A' } }, ['Invalid metadata.name']],
  ['with a finalizer of no domain', { ...NEW, metadata: { finalizers: ['x'] } }, ['Invalid metadata.finalizers[0]']],
];

for (const [title, body, causes] of strict) {
  test(`Event ${title}, through events v1`, () => {
    assert.deepEqual(write(NewEvent, { body, version: 'v1' }).causes, causes);
    const { object: live } = write(NewEvent, { body: NEW, version: 'v1' });
    if (!('metadata' in body)) assert.deepEqual(write(NewEvent, { body: { ...NEW, count: 1 }, live, version: 'v1' }).causes, []);
  });
}

test('Event: an update through events v1 has faults of its metadata again, but not those of a comparison', () => {
  const { object: live } = write(NewEvent, { body: NEW, version: 'v1' });
  const faults = (metadata: object): number => write(NewEvent, { body: { ...NEW, metadata }, live, version: 'v1' }).messages.length;
  assert.equal(faults({ labels: { 'a b': '' } }), 2);
  assert.equal(faults({ deletionTimestamp: '2020-01-01T00:00:00Z' }), 1);
});

test('Event: both groups store it in one form, and nothing is lost between them', () => {
  const catalog = createCatalog([Event, NewEvent], brandOf('kubernetes'));
  assert.equal(catalog.find('events.k8s.io', 'v1', 'events')?.resource.storage.apiVersion, 'v1');
  const full = {
    metadata: { name: 'a' },
    regarding: { kind: 'Pod' },
    note: 'n',
    series: { count: 0, lastObservedTime: null },
    reportingController: 'a.b/c',
    deprecatedSource: { host: 'h' },
    deprecatedCount: 3,
  };
  for (const body of [full, { metadata: { name: 'a' } }]) {
    for (const { schema } of Object.values(NewEvent.versions)) {
      const here = decode(objectTypeOf(schema), body) as unknown as ApiObject;
      const there = toCoreEvent(structuredClone(here));
      assert.deepEqual(there, decode(objectTypeOf(Event.versions['v1']?.schema as never), there));
      assert.deepEqual(fromCoreEvent(structuredClone(there)), here);
    }
  }
});

test('Event: fields to select by are named as the group names them', () => {
  assert.ok(selectableFields(Event).includes('involvedObject.kind'));
  assert.ok(selectableFields(NewEvent).includes('regarding.kind'));
});

test('R2.5-12 Event: columns', () => {
  const cells = (body: object): readonly unknown[] => cellsOf(Event, write(Event, { body: { ...OLD, ...body } }).object).slice(1, 9);
  const told = { type: 'Warning', reason: 'R', message: '\u0085\ufeffm ', source: { component: 'c', host: 'h' } };
  assert.deepEqual(cells(told), ['Warning', 'R', 'pod/p', '', 'c, h', '\ufeffm', '<unknown>', 1]);
  assert.deepEqual(cells({ reportingComponent: 'x', series: { count: 5 } }), ['', '', 'pod/p', '', 'x', '', '<unknown>', 5]);
});
