import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AbsentOwners, ownerOf } from './absent-owners.ts';

const REF = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd', uid: '1', isBlocking: false };

test('an owner that is gone is gone for those of its namespace only, in every version of its kind', () => {
  const absent = new AbsentOwners();
  absent.add(ownerOf(REF), 'a');
  assert.equal(absent.has(REF, 'a'), true);
  assert.equal(absent.has({ ...REF, apiVersion: 'apps/v1beta1' }, 'a'), true);
  for (const other of [{ uid: '2' }, { name: 'e' }, { kind: 'ReplicaSet' }, { apiVersion: 'batch/v1' }]) assert.equal(absent.has({ ...REF, ...other }, 'a'), false);
  assert.equal(absent.has(REF, 'b'), false);
});

test('one that belonged to no namespace is gone for everybody', () => {
  const absent = new AbsentOwners();
  absent.add({ uid: '1', group: '', kind: 'Node', name: 'n' }, '');
  const ref = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: '1', isBlocking: false };
  for (const namespace of ['', 'a', 'b']) assert.equal(absent.has(ref, namespace), true);
});

test('the oldest are forgotten', () => {
  const absent = new AbsentOwners();
  for (let at = 0; at <= 1_000; at++) absent.add({ ...ownerOf(REF), uid: String(at) }, 'a');
  assert.equal(absent.has({ ...REF, uid: '0' }, 'a'), false);
  assert.equal(absent.has({ ...REF, uid: '1' }, 'a'), true);
});

test('those that nobody was heard to name are remembered, and drive out no others', () => {
  const absent = new AbsentOwners();
  absent.add(ownerOf(REF), 'a');
  for (let at = 2; at <= 1_002; at++) absent.add({ ...ownerOf(REF), uid: String(at) }, 'a', false);
  for (const [uid, isKnown] of [['1', true], ['2', false], ['3', true], ['1002', true]] as const) assert.equal(absent.has({ ...REF, uid }, 'a'), isKnown, uid);
});
