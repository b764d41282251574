import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FieldErrors } from '#errors';
import { MAX_ANNOTATIONS_BYTES, validateObjectMeta, validateObjectMetaUpdate, type MetadataForm } from './metadata-rules.ts';
import type { ObjectMeta } from './object-meta.ts';

const namespaced: MetadataForm = { scope: 'Namespaced', nameForm: 'dns-subdomain' };
const cluster: MetadataForm = { scope: 'Cluster', nameForm: 'dns-subdomain' };
const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: '1' };

const found = (run: (at: FieldErrors) => void): readonly string[] => {
  const at = new FieldErrors('metadata');
  run(at);
  return [...new Set(at.causes.map((cause) => `${cause.reason?.replace('FieldValue', '')} ${cause.field}`))];
};

const onCreate: readonly {
  readonly title: string;
  readonly meta: ObjectMeta;
  readonly form?: MetadataForm;
  readonly causes: readonly string[];
}[] = [
  { title: 'R2.2-01 R2.2-04 name and namespace', meta: {}, causes: [] },
  { title: 'R2.2-01 no name', meta: { name: '' }, causes: ['Required metadata.name'] },
  { title: 'R2.2-01 bad name', meta: { name: 'UPPER' }, causes: ['Invalid metadata.name'] },
  { title: 'R2.2-02 generateName may end in a dash', meta: { name: 'gen-x', generateName: 'gen-' }, causes: [] },
  { title: 'R2.2-02 bad generateName', meta: { name: 'a', generateName: '-gen' }, causes: ['Invalid metadata.generateName'] },
  { title: 'R2.2-04 no namespace', meta: { namespace: '' }, causes: ['Required metadata.namespace'] },
  { title: 'R2.2-04 bad namespace', meta: { namespace: 'a.b' }, causes: ['Invalid metadata.namespace'] },
  { title: 'R2.2-04 namespace of a cluster-scoped object', meta: {}, form: cluster, causes: ['Forbidden metadata.namespace'] },
  {
    title: 'a DNS label where the kind wants one',
    meta: { name: 'a.b' },
    form: { ...namespaced, nameForm: 'dns-label' },
    causes: ['Invalid metadata.name'],
  },
  {
    title: 'a path segment where the kind takes one',
    meta: { name: 'system:a' },
    form: { ...namespaced, nameForm: 'path-segment' },
    causes: [],
  },
  { title: 'R2.2-11 labels', meta: { labels: { 'example.com/a': 'b' } }, causes: [] },
  { title: 'R2.2-11 label key', meta: { labels: { 'bad key!': 'x' } }, causes: ['Invalid metadata.labels'] },
  { title: 'R2.2-11 label value', meta: { labels: { ok: 'bad value!' } }, causes: ['Invalid metadata.labels'] },
  { title: 'R2.2-12 annotation key in capitals', meta: { annotations: { 'Example.com/A': 'any text' } }, causes: [] },
  { title: 'R2.2-12 annotation key', meta: { annotations: { '-bad': 'x' } }, causes: ['Invalid metadata.annotations'] },
  {
    title: 'R2.2-12 annotations too big',
    meta: { annotations: { a: 'é'.repeat(MAX_ANNOTATIONS_BYTES / 2) } },
    causes: ['TooLong metadata.annotations'],
  },
  { title: 'R2.2-12 annotations just not too big', meta: { annotations: { ab: 'é'.repeat(MAX_ANNOTATIONS_BYTES / 2 - 1) } }, causes: [] },
  { title: 'R2.2-10 finalizers', meta: { finalizers: ['example.com/x', 'orphan', 'orch', 'kubernetes'] }, causes: [] },
  { title: 'R2.2-10 finalizer without domain', meta: { finalizers: ['example.com/x', 'bad'] }, causes: ['Invalid metadata.finalizers[1]'] },
  {
    title: 'R2.2-10 empty finalizer',
    meta: { finalizers: [''] },
    causes: ['Invalid metadata.finalizers', 'Invalid metadata.finalizers[0]'],
  },
  { title: 'R2.2-10 finalizer with two slashes', meta: { finalizers: ['a/b/c'] }, causes: ['Invalid metadata.finalizers'] },
  {
    title: 'R2.2-10 finalizers that exclude each other',
    meta: { finalizers: ['foregroundDeletion', 'orphan'] },
    causes: ['Invalid metadata.finalizers'],
  },
  { title: 'R2.2-14 owner', meta: { ownerReferences: [{ ...owner, controller: true }] }, causes: [] },
  {
    title: 'R2.2-14 owner without uid',
    meta: { ownerReferences: [{ ...owner, uid: '' }] },
    causes: ['Invalid metadata.ownerReferences.uid'],
  },
  {
    title: 'R2.2-14 owner without anything',
    meta: { ownerReferences: [{ apiVersion: '', kind: '', name: '', uid: '' }] },
    causes: ['apiVersion', 'kind', 'name', 'uid'].map((member) => `Invalid metadata.ownerReferences.${member}`),
  },
  {
    title: 'R2.2-14 owner with a bad version',
    meta: { ownerReferences: [{ ...owner, apiVersion: 'a/b/c' }] },
    causes: ['Invalid metadata.ownerReferences.apiVersion'],
  },
  {
    title: 'R2.2-14 an event owns nothing',
    meta: { ownerReferences: [{ ...owner, kind: 'Event' }] },
    causes: ['Invalid metadata.ownerReferences'],
  },
  {
    title: 'R2.2-14 two controllers',
    meta: {
      ownerReferences: [
        { ...owner, controller: true },
        { ...owner, uid: '2', controller: true },
      ],
    },
    causes: ['Invalid metadata.ownerReferences'],
  },
  { title: 'R2.2-14 clusterName', meta: { clusterName: 'a.b' }, causes: ['Invalid metadata.clusterName'] },
  { title: 'R2.2-14 generation', meta: { generation: -1 }, causes: ['Invalid metadata.generation'] },
  {
    title: 'R2.2-16 operation',
    meta: { managedFields: [{ operation: 'Create' }] },
    causes: ['Invalid metadata.managedFields[0].operation'],
  },
  {
    title: 'R2.2-19 fieldsType',
    meta: { managedFields: [{ operation: 'Apply', fieldsType: 'V2' }] },
    causes: ['Invalid metadata.managedFields[0].fieldsType'],
  },
  {
    title: 'R2.2-15 manager',
    meta: { managedFields: [{ operation: 'Apply', manager: 'a\n' }] },
    causes: ['Invalid metadata.managedFields[0].manager'],
  },
  {
    title: 'R2.2-15 manager too long',
    meta: { managedFields: [{ operation: 'Apply', manager: 'a'.repeat(129) }] },
    causes: ['TooLong metadata.managedFields[0].manager'],
  },
];

test('finalizers are told before entries of managedFields, and that they lack a domain behind both', () => {
  const at = new FieldErrors('metadata');
  validateObjectMeta({ name: 'a', namespace: 'n', finalizers: ['-', 'x'], managedFields: [{ operation: 'Create' }] }, namespaced, at);
  const fields = at.causes.map(({ field }) => field?.slice('metadata.'.length));
  assert.deepEqual(fields, ['finalizers', 'managedFields[0].operation', 'finalizers[0]', 'finalizers[1]']);
});

test('R2.2-16 R2.2-19 what an entry of managedFields may say is told in the notation of Kubernetes', () => {
  const at = new FieldErrors('metadata');
  validateObjectMeta({ name: 'a', namespace: 'n', managedFields: [{ operation: 'Create', fieldsType: 'V2' }] }, namespaced, at);
  assert.deepEqual(at.causes.map(({ message }) => message), ['Invalid value: "Create": must be `Apply` or `Update`', 'Invalid value: "V2": must be `FieldsV1`']);
});

for (const { title, meta, form, causes } of onCreate) {
  test(`create: ${title}`, () => {
    assert.deepEqual(
      found((at) => validateObjectMeta({ name: 'a', namespace: 'n', ...meta }, form ?? namespaced, at)),
      causes,
    );
  });
}

test('a controller without a name is wrong for that alone', () => {
  const ownerReferences = ['', 'b'].map((name) => ({ ...owner, name, controller: true }));
  assert.deepEqual(found((at) => validateObjectMeta({ name: 'a', namespace: 'n', ownerReferences }, namespaced, at)), ['Invalid metadata.ownerReferences.name']);
});

test('R2.2-14 each controller behind the first is told, in words that clients know', () => {
  const at = new FieldErrors('metadata');
  const ownerReferences = ['a', 'b', 'c'].map((name) => ({ ...owner, name, controller: true }));
  validateObjectMeta({ name: 'a', namespace: 'n', ownerReferences }, namespaced, at);
  assert.deepEqual(at.causes.map(({ message = '' }) => message.slice(message.indexOf(': Only') + 2)), [
    'Only one reference can have Controller set to true. Found "true" in references for a and b',
    'Only one reference can have Controller set to true. Found "true" in references for a and c',
  ]);
});

const live: ObjectMeta = {
  name: 'a',
  namespace: 'n',
  uid: 'u',
  resourceVersion: '1',
  generation: 2,
  creationTimestamp: '2020-01-01T00:00:00Z',
  finalizers: ['a.b/c'],
};
const time = '2021-01-01T00:00:00Z';

const onUpdate: readonly {
  readonly title: string;
  readonly next: ObjectMeta;
  readonly live?: ObjectMeta;
  readonly causes: readonly string[];
}[] = [
  { title: 'nothing changes', next: {}, causes: [] },
  { title: 'R2.2-09 no resourceVersion', next: { resourceVersion: '' }, causes: ['Invalid metadata.resourceVersion'] },
  { title: 'R2.2-14 generation goes down', next: { generation: 1 }, causes: ['Invalid metadata.generation'] },
  { title: 'R2.2-01 name', next: { name: 'b' }, causes: ['Invalid metadata.name'] },
  { title: 'R2.2-04 namespace', next: { namespace: 'm' }, causes: ['Invalid metadata.namespace'] },
  { title: 'R2.2-05 uid', next: { uid: 'v' }, causes: ['Invalid metadata.uid'] },
  { title: 'R2.2-07 creationTimestamp', next: { creationTimestamp: time }, causes: ['Invalid metadata.creationTimestamp'] },
  { title: 'R2.2-08 deletionTimestamp', next: { deletionTimestamp: time }, causes: ['Invalid metadata.deletionTimestamp'] },
  {
    title: 'R2.2-14 deletionGracePeriodSeconds',
    next: { deletionGracePeriodSeconds: 0 },
    causes: ['Invalid metadata.deletionGracePeriodSeconds'],
  },
  { title: 'R2.2-11 labels', next: { labels: { 'bad key!': 'x' } }, causes: ['Invalid metadata.labels'] },
  { title: 'R2.2-10 finalizers come and go', next: { finalizers: ['a.b/d'] }, causes: [] },
  {
    title: 'R2.2-10 no finalizer comes while the object is being deleted',
    next: { finalizers: ['a.b/c', 'a.b/d'] },
    live: { deletionTimestamp: time },
    causes: ['Forbidden metadata.finalizers'],
  },
  {
    title: 'R2.2-10 a finalizer goes while the object is being deleted',
    next: { finalizers: [] },
    live: { deletionTimestamp: time },
    causes: [],
  },
  {
    title: 'R2.2-10 one of several finalizers goes while the object is being deleted',
    next: { finalizers: ['a.b/d'] },
    live: { deletionTimestamp: time, finalizers: ['a.b/c', 'a.b/d'] },
    causes: [],
  },
];

for (const { title, next, live: more, causes } of onUpdate) {
  test(`update: ${title}`, () => {
    const before = { ...live, ...more };
    assert.deepEqual(
      found((at) => validateObjectMetaUpdate({ ...before, ...next }, before, {}, at)),
      causes,
    );
  });
}
