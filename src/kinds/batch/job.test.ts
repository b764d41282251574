import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf } from '#api';
import { cellsOf, write } from '../test-support.ts';
import { Job, type Job as One } from './job.ts';

const containers = [{ name: 'c', image: 'i' }];
const template = { spec: { restartPolicy: 'Never', containers } };
const body = (spec: object = {}, metadata: object = {}): object => ({ metadata: { uid: 'u', ...metadata }, spec: { template, ...spec } });
const stored = (spec: object = {}): One => write(Job, { body: body(spec) }).object as One;

const TEMPLATE = 'spec.template';
const created: readonly (readonly [title: string, spec: object, causes: readonly string[]])[] = [
  ['nothing wrong', {}, []],
  ['a pod without end', { template: { spec: { containers } } }, [`Required ${TEMPLATE}.spec.restartPolicy`]],
  ['a pod that goes on in an unknown way', { template: { spec: { restartPolicy: 'Sometimes', containers } } }, [`NotSupported ${TEMPLATE}.spec.restartPolicy`]],
  ['numbers below zero', { parallelism: -1, completions: -1, backoffLimit: -1 }, ['Invalid spec.parallelism', 'Invalid spec.completions', 'Invalid spec.backoffLimit']],
  ['an unknown mode', { completionMode: 'Bogus' }, ['NotSupported spec.completionMode']],
  ['indexes without end', { completionMode: 'Indexed', parallelism: 1 }, ['Required spec.completions']],
  ['work without indexes, which needs no end, and as much at once as one likes', { completionMode: 'NonIndexed', parallelism: 100_001 }, []],
  ['as many indexes at once as there may be', { completionMode: 'Indexed', completions: 1, parallelism: 100_000 }, []],
  ['too many indexes at once', { completionMode: 'Indexed', completions: 1, parallelism: 100_001 }, ['Invalid spec.parallelism']],
  ['a selector beside the generated one', { selector: { matchLabels: { a: 'b' } } }, ['Invalid spec.selector', `Invalid ${TEMPLATE}.metadata.labels`]],
  ['a selector of its own', { manualSelector: true, selector: { matchLabels: { a: 'b' } }, template: { ...template, metadata: { labels: { a: 'b' } } } }, []],
  ['a selector that nobody can read', { selector: { matchExpressions: [{ key: 'a', operator: 'Like' }] } }, ['Invalid spec.selector.matchExpressions[0].operator']],
  ['no selector of its own', { manualSelector: true }, ['Required spec.selector', `Invalid ${TEMPLATE}.metadata.labels`]],
  ['the label of another job', { template: { ...template, metadata: { labels: { 'controller-uid': 'x' } } } }, [`Invalid ${TEMPLATE}.metadata.labels[controller-uid]`, `Invalid ${TEMPLATE}.metadata.labels`]],
];

for (const [title, spec, causes] of created) {
  test(`Job: ${title}`, () => assert.deepEqual(write(Job, { body: body(spec) }).causes, causes));
}

test('Job: the selector is made from the uid, the labels from those of the pods', () => {
  const { metadata, spec } = stored();
  assert.deepEqual(spec.selector, { matchLabels: { 'controller-uid': 'u' } });
  assert.deepEqual(spec.template.metadata.labels, { 'job-name': 'a', 'controller-uid': 'u' });
  assert.deepEqual(metadata.labels, spec.template.metadata.labels);
  assert.deepEqual(write(Job, { body: body({}, { labels: { own: 'x' } }) }).object.metadata.labels, { own: 'x' });
});

test('Job: a write of the status without labels leaves those that the pods have', () => {
  const labels = { 'job-name': 'a', 'controller-uid': 'u' };
  const live = stored();
  // The spec is that of the live object by then, whatever was sent.
  const written = (metadata: object): unknown => {
    const next = { ...live, metadata: { name: 'a', ...metadata } } as One;
    Job.prepare?.(next, live, { brand: brandOf('orch'), subresource: 'status', nowMs: 0 });
    return next.metadata.labels;
  };
  assert.deepEqual([written({}), written({ labels: { own: 'x' } })], [labels, { own: 'x' }]);
});

test('Job: of annotations that were only about tracking nothing is left', () => {
  const tracked = (own: object): object => body({}, { annotations: { 'batch.kubernetes.io/job-tracking': '', ...own } });
  const annotationsOf = (sent: object): unknown => write(Job, { body: sent, dialect: 'kubernetes' }).object.metadata.annotations;
  assert.deepEqual([annotationsOf(tracked({})), annotationsOf(tracked({ own: 'x' }))], [undefined, { own: 'x' }]);
});

test('Job: a label that is not its own is shown among all labels', () => {
  const { messages } = write(Job, { body: body({ template: { ...template, metadata: { labels: { 'controller-uid': 'x' } } } }) });
  assert.equal(messages[0], `Invalid value: map[string]string{"controller-uid":"x", "job-name":"a"}: must be 'u'`);
});

test('Job: labels that it has from its pods become those that its pods get', () => {
  const labelled = { ...template, metadata: { labels: { app: 'x' } } };
  const { metadata, spec } = stored({ template: labelled });
  assert.deepEqual(metadata.labels, { app: 'x', 'job-name': 'a', 'controller-uid': 'u' });
  assert.deepEqual(spec.template.metadata.labels, metadata.labels);
  assert.deepEqual(write(Job, { body: body({ template: labelled }, { labels: { app: 'x' } }) }).object.metadata.labels, { app: 'x' });
});

test('Job: a name that is no label is said of the labels of the pods alone', () => {
  const { causes } = write(Job, { body: body({}, { name: 'a'.repeat(70) }) });
  assert.deepEqual(causes, ['Invalid spec.template.labels']);
});

test('Job: the name of an indexed one makes names of hosts', () => {
  const causesOf = (name: string, completions: number, completionMode = 'Indexed'): readonly string[] => write(Job, { body: body({ completions, completionMode }, { name }) }).causes;
  assert.deepEqual(causesOf('a'.repeat(61), 10), []);
  assert.deepEqual(causesOf('a'.repeat(61), 11), ['Invalid metadata.name']);
  assert.deepEqual(causesOf('a.b', 1), ['Invalid metadata.name']);
  assert.deepEqual(causesOf('a.b', 0), []);
  assert.deepEqual(causesOf('a.b', 1, 'NonIndexed'), []);
});

test('Job: runs once unless it says otherwise', () => {
  const { completions, parallelism, backoffLimit, completionMode, suspend } = stored().spec;
  assert.deepEqual([completions, parallelism, backoffLimit, completionMode, suspend], [1, 1, 6, 'NonIndexed', false]);
  assert.equal(stored({ parallelism: 3 }).spec.completions, undefined);
});

const MOVED = { ...template, spec: { ...template.spec, nodeSelector: { a: 'b' }, affinity: { nodeAffinity: {} }, tolerations: [{ operator: 'Exists' }] } };

/** An update as a client sends it: what it read, with one thing changed. */
function changed(live: One, spec: object): readonly string[] {
  const next = structuredClone(live) as unknown as { spec: object };
  return write(Job, { body: { ...next, spec: { ...next.spec, ...spec } }, live }).causes;
}

test('Job: what it does stays', () => {
  const live = stored();
  assert.deepEqual(changed(live, { parallelism: 5, suspend: true, backoffLimit: 1, ttlSecondsAfterFinished: 1 }), []);
  assert.deepEqual(changed(live, { completions: 2 }), ['Invalid spec.completions']);
  assert.deepEqual(changed(live, { completionMode: 'Indexed' }), ['Invalid spec.completionMode']);
  assert.deepEqual(changed(live, { selector: { matchLabels: { 'job-name': 'a' } } }), ['Invalid spec.selector']);
  assert.deepEqual(changed(live, { template: { ...MOVED, metadata: live.spec.template.metadata } }), ['Invalid spec.template']);
});

test('Job: where it does it may change while it is suspended and has not begun', () => {
  const live = stored({ suspend: true });
  const next = { template: { ...MOVED, metadata: live.spec.template.metadata } };
  assert.deepEqual(changed(live, next), []);
  const { metadata, spec } = live.spec.template;
  const stays: readonly object[] = [
    { metadata, spec: { ...spec, containers: [{ name: 'c', image: 'other' }] } },
    { metadata, spec: { ...spec, hostNetwork: true } },
    { metadata, spec: { ...spec, affinity: { podAffinity: {} } } },
    { metadata: { ...metadata, finalizers: ['example.com/x'] }, spec },
  ];
  for (const other of stays) assert.deepEqual(changed(live, { template: other }), ['Invalid spec.template'], JSON.stringify(other));
  assert.deepEqual(changed(live, { template: { metadata: { ...metadata, labels: { ...metadata.labels, more: 'x' }, annotations: { a: 'b' } }, spec } }), []);
  live.status.startTime = '2020-01-01T00:00:00Z';
  assert.deepEqual(changed(live, next), ['Invalid spec.template']);
});

test('Job: pods that are not counted yet are told apart', () => {
  const status = { active: -1, uncountedTerminatedPods: { succeeded: ['a', ''], failed: ['a'] } };
  const { causes } = write(Job, { body: { ...body(), status }, live: stored(), subresource: 'status' });
  assert.deepEqual(causes, ['Invalid status.active', 'Invalid status.uncountedTerminatedPods.succeeded[1]', 'Duplicate status.uncountedTerminatedPods.failed[0]']);
});

test('Job: columns and selectable fields', () => {
  const job = stored({ parallelism: 3 });
  job.status = { succeeded: 2, startTime: '1970-01-01T00:00:00Z', completionTime: '1970-01-01T00:01:30Z' };
  assert.deepEqual(cellsOf(Job, job), ['2/1 of 3', '90s', 'c', 'i', 'controller-uid=u']);
  assert.deepEqual(Job.select?.(job), { 'status.successful': '2' });
});
