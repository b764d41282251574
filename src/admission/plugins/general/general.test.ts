import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTurns } from '#base';
import type { ApiObject } from '#api';
import { SERVER_ITSELF } from '#request';
import { admit, make, pod, refused } from '../../test-support.ts';
import { alwaysAdmit } from './always-admit.ts';
import { alwaysDeny } from './always-deny.ts';
import { ownerReferencesPermissionEnforcement } from './owner-references-permission-enforcement.ts';

test('R4.11-26 AlwaysAdmit lets everything through and changes nothing', async () => {
  assert.deepEqual(await admit(alwaysAdmit, pod()), pod());
});

test('R4.11-27 AlwaysDeny refuses everything, but what the server itself needs to start, and nobody passes for it by its name', async () => {
  await admit(alwaysDeny, pod(), { user: SERVER_ITSELF });
  await assert.rejects(admit(alwaysDeny, pod(), { user: { ...SERVER_ITSELF } }), refused('admission control is denying all modifications'));
  for (const operation of ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] as const) {
    await assert.rejects(admit(alwaysDeny, pod(), { operation }), refused('admission control is denying all modifications'));
  }
});

const owned = (more: object = {}): ApiObject =>
  make('ConfigMap', 'c', {}, { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'o', uid: 'u', ...more }] });
const free = make('ConfigMap', 'c');

test('OwnerReferencesPermissionEnforcement: who gives an object an owner must be allowed to delete it, or make it', async () => {
  const may = ({ verb }: { readonly verb: string }): boolean => verb !== 'delete';
  await admit(ownerReferencesPermissionEnforcement, owned(), { may });
  await admit(ownerReferencesPermissionEnforcement, owned(), { live: owned(), may });
  await admit(ownerReferencesPermissionEnforcement, owned(), { live: free });
  await assert.rejects(admit(ownerReferencesPermissionEnforcement, owned(), { live: free, may }), refused("a resource you can't delete: because"));
  await assert.rejects(admit(ownerReferencesPermissionEnforcement, free, { live: owned(), may }), refused("a resource you can't delete"));
  const shown = pod({}, { ownerReferences: owned().metadata.ownerReferences });
  await admit(ownerReferencesPermissionEnforcement, shown, { live: pod(), subresource: 'status', may });
  await assert.rejects(admit(ownerReferencesPermissionEnforcement, shown, { live: pod(), may }), refused("a resource you can't delete"));
  for (const kind of ['PersistentVolumeClaim', 'StatefulSet']) {
    const other = make(kind, 'c', {}, { ownerReferences: owned().metadata.ownerReferences });
    await assert.rejects(admit(ownerReferencesPermissionEnforcement, other, { live: make(kind, 'c'), subresource: 'status', may }), refused("a resource you can't delete"));
  }
});

test('OwnerReferencesPermissionEnforcement: others get on while very many owners are asked about', async () => {
  const owners = (count: number): ApiObject => make('ConfigMap', 'c', {}, { ownerReferences: Array.from({ length: count }, (_, n) => ({ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `o${n}`, uid: `u${n}`, blockOwnerDeletion: true })) });
  const turnsOf = (count: number): Promise<number> => countTurns(() => admit(ownerReferencesPermissionEnforcement, owners(count), { may: ({ resource }) => resource !== '*' }));
  const [more, less] = [await turnsOf(60_000), await turnsOf(1)];
  assert.ok(more >= less + 3, `${more} turns, ${less} for one owner`);
});

test('OwnerReferencesPermissionEnforcement: who makes an owner wait must be allowed to set its finalizers', async () => {
  const may = ({ subresource }: { readonly subresource: string }): boolean => subresource !== 'finalizers';
  const blocking = owned({ blockOwnerDeletion: true });
  await admit(ownerReferencesPermissionEnforcement, blocking);
  await admit(ownerReferencesPermissionEnforcement, owned(), { may });
  await assert.rejects(admit(ownerReferencesPermissionEnforcement, blocking, { may }), refused("a resource you can't set finalizers on: because, <nil>"));
  await admit(ownerReferencesPermissionEnforcement, { ...blocking, data: {} } as ApiObject, { live: blocking, may });
  const [first] = blocking.metadata.ownerReferences ?? [];
  const joined = make('ConfigMap', 'c', {}, { ownerReferences: [first, { ...first, uid: 'v', blockOwnerDeletion: false }] });
  await admit(ownerReferencesPermissionEnforcement, joined, { live: blocking, may });
  const blockedBoth = make('ConfigMap', 'c', {}, { ownerReferences: [first, { ...first, uid: 'v' }] });
  await assert.rejects(admit(ownerReferencesPermissionEnforcement, blockedBoth, { live: joined, may }), refused("a resource you can't set finalizers on"));
  await assert.rejects(
    admit(ownerReferencesPermissionEnforcement, owned({ blockOwnerDeletion: true, apiVersion: 'x.io/v9', kind: 'Nothing' }), { may }),
    refused('cannot find RESTMapping for APIVersion x.io/v9 Kind Nothing: no matches for kind "Nothing" in version "x.io/v9"'),
  );
  const ofOldVersion = owned({ blockOwnerDeletion: true, apiVersion: 'apps/v1beta1' });
  await assert.rejects(admit(ownerReferencesPermissionEnforcement, ofOldVersion, { may }), refused('no matches for kind "ReplicaSet" in version "apps/v1beta1"'));
});

test('OwnerReferencesPermissionEnforcement: who may set all finalizers may name owners of any kind, served or not', async () => {
  const asked: unknown[] = [];
  const may = (question: object): boolean => asked.push(question) > 0;
  await admit(ownerReferencesPermissionEnforcement, owned({ blockOwnerDeletion: true, apiVersion: 'x.io/v9', kind: 'Nothing' }), { may });
  const [{ verb, group, version, resource, subresource, namespace, name }] = asked as [Record<string, string>];
  assert.deepEqual([asked.length, verb, group, version, resource, subresource, namespace, name], [1, 'update', '*', '*', '*', 'finalizers', '', '*']);
});

test('OwnerReferencesPermissionEnforcement: the permission for one owner suffices, where that owner is', async () => {
  const owners = [
    ['apps/v1', 'ReplicaSet', 'apps v1 replicasets finalizers in n o'],
    ['v1', 'Node', ' v1 nodes finalizers in  o'],
  ] as const;
  for (const [apiVersion, kind, asked] of owners) {
    const heard: string[] = [];
    const may = (question: object): boolean => {
      const { verb, group, version, resource, subresource, namespace, name } = question as Readonly<Record<string, string>>;
      heard.push(`${verb} ${group} ${version} ${resource} ${subresource} in ${namespace} ${name}`);
      return resource !== '*';
    };
    await admit(ownerReferencesPermissionEnforcement, owned({ blockOwnerDeletion: true, apiVersion, kind }), { may });
    assert.deepEqual(heard.slice(1), [`update ${asked}`]);
  }
});
