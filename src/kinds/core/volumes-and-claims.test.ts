import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject } from '#api';
import { cellsOf, write } from '../test-support.ts';
import { PersistentVolumeClaim, type PersistentVolumeClaim as Claim } from './persistent-volume-claim.ts';
import { PersistentVolume, type PersistentVolume as Volume } from './persistent-volume.ts';

const VOLUME = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } };
const CLAIM = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const { hostPath: _, ...bare } = VOLUME;

const volumes: readonly (readonly [what: string, spec: object, causes: readonly string[]])[] = [
  ['a good one', VOLUME, []],
  ['a mode that is off beside another', { ...VOLUME, accessModes: ['ReadWriteOncePod', 'ReadWriteOnce'] }, ['NotSupported spec.accessModes', 'Forbidden spec.accessModes']],
  ['nothing', {}, ['Required spec.accessModes', 'Required spec.capacity', 'NotSupported spec.capacity', 'Required spec']],
  ['two sources', { ...VOLUME, nfs: { server: 's', path: '/p' } }, ['Forbidden spec.nfs']],
  ['no space', { ...VOLUME, capacity: { storage: '0' } }, ['Invalid spec.capacity[storage]']],
  ['another resource', { ...VOLUME, capacity: { storage: '1', cpu: '1' } }, ['NotSupported spec.capacity']],
  ['the whole disk recycled', { ...VOLUME, hostPath: { path: '/./' }, persistentVolumeReclaimPolicy: 'Recycle' }, ['Forbidden spec.persistentVolumeReclaimPolicy']],
  ['the whole disk recycled by a detour', { ...VOLUME, hostPath: { path: '/a/..' }, persistentVolumeReclaimPolicy: 'Recycle' }, ['Invalid spec.hostPath.path', 'Forbidden spec.persistentVolumeReclaimPolicy']],
  ['a folder recycled', { ...VOLUME, persistentVolumeReclaimPolicy: 'Recycle' }, []],
  ['a folder recycled by a detour', { ...VOLUME, hostPath: { path: '/a/b/..' }, persistentVolumeReclaimPolicy: 'Recycle' }, ['Invalid spec.hostPath.path']],
  [
    'many faults of a target, in the order in which 1.23 looks for them',
    { ...bare, iscsi: { targetPortal: 'p'.repeat(64), iqn: 'x', lun: 256, initiatorName: 'y', secretRef: {} } },
    ['Invalid spec.iscsi.targetportal', 'Invalid spec.iscsi.iqn', 'Invalid spec.iscsi.lun', 'Required spec.iscsi.secretRef.name', 'Invalid spec.iscsi.initiatorname'],
  ],
  ['a local disk that is also another', { ...bare, local: { path: '/x' }, csi: { driver: 'd', volumeHandle: 'h' } }, ['Required spec.nodeAffinity', 'Forbidden spec.csi']],
  ['a local disk on any node', { ...bare, local: { path: '/x' } }, ['Required spec.nodeAffinity']],
  ['a driver with half a secret', { ...bare, csi: { driver: 'd', volumeHandle: 'h', nodePublishSecretRef: { name: 'n' } } }, ['Required spec.csi.nodePublishSecretRef .namespace']],
  ['a driver with a secret that is none', { ...bare, csi: { driver: 'd', volumeHandle: 'h', controllerExpandSecretRef: { name: 'a.b', namespace: 'n' } } }, ['Invalid spec.csi.name']],
  ['a disk without a name', { ...bare, gcePersistentDisk: { pdName: '' } }, ['Required spec.persistentDisk.pdName']],
  ['a namespace that is none', { ...bare, glusterfs: { endpoints: 'e', path: 'p', endpointsNamespace: 'a b' } }, ['Invalid spec.glusterfs.endpointsNamespace']],
  ['a share in no namespace', { ...bare, azureFile: { secretName: 's', shareName: 's', secretNamespace: '' } }, ['Required spec.azureFile.secretNamespace']],
  ['an initiator too long', { ...bare, iscsi: { targetPortal: 'p'.repeat(64), iqn: 'iqn.2001-04.com.example:a', lun: 0, initiatorName: 'iqn.2001-04.com.example:a' } }, ['Invalid spec.iscsi.targetportal']],
  [
    'all kinds of faults, in the order in which 1.23 looks for them',
    { accessModes: ['x'], capacity: { storage: '0', cpu: '1' }, volumeMode: 'x', storageClassName: 'X', persistentVolumeReclaimPolicy: 'x', nodeAffinity: {}, nfs: { server: '', path: '/p' } },
    [
      'NotSupported spec.accessModes',
      'NotSupported spec.capacity',
      'Invalid spec.capacity[storage]',
      'NotSupported spec.persistentVolumeReclaimPolicy',
      'Required spec.nodeAffinity.required',
      'Required spec.nfs.server',
      'Invalid spec.storageClassName',
      'NotSupported spec.volumeMode',
    ],
  ],
  ['two sources of which one is a driver of old', { ...VOLUME, flexVolume: { driver: 'd' } }, []],
];

for (const [what, spec, causes] of volumes) {
  test(`PersistentVolume: ${what}`, () => assert.deepEqual(write(PersistentVolume, { body: { spec } }).causes, causes));
}

test('PersistentVolume: options for mounting stand in an annotation only where there was no other place', () => {
  const annotations = { 'volume.beta.orch.io/mount-options': 'ro' };
  const causes = (spec: object): readonly string[] => write(PersistentVolume, { body: { metadata: { annotations }, spec } }).causes;
  assert.deepEqual(causes(VOLUME), ['Forbidden metadata.annotations.volume.beta.orch.io/mount-options']);
  assert.deepEqual(causes({ ...bare, nfs: { server: 's', path: '/p' } }), []);
});

test('PersistentVolume: its source stays, but that a secret for growing may come', () => {
  const csi = { driver: 'd', volumeHandle: 'h' };
  const live = write(PersistentVolume, { body: { spec: { ...bare, csi } } }).object as Volume;
  const secret = { name: 'n', namespace: 'n' };
  const grown = { ...bare, csi: { ...csi, controllerExpandSecretRef: secret } };
  assert.deepEqual(write(PersistentVolume, { body: { spec: grown }, live }).causes, []);
  assert.deepEqual(write(PersistentVolume, { body: { spec: { ...bare, csi: { ...csi, volumeHandle: 'i' } } }, live }).causes, ['Forbidden spec.persistentvolumesource']);
});

test('PersistentVolume: where it is and how it is used stays, and on which nodes once that is said', () => {
  const nodes = (value: string): object => ({ nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In', values: [value] }] }] } } });
  const update = (before: object, after: object): readonly string[] => {
    const live = write(PersistentVolume, { body: { spec: { ...bare, ...before } } }).object;
    return write(PersistentVolume, { body: { spec: { ...bare, ...after } }, live }).causes;
  };
  const nfs = { nfs: { server: 's', path: '/p' } };
  const secret = (name: string): object => ({ csi: { driver: 'd', volumeHandle: 'h', controllerExpandSecretRef: { name, namespace: 'n' } } });
  const moved = ['Forbidden spec.persistentvolumesource'];
  assert.deepEqual(update(nfs, { nfs: { server: 't', path: '/p' } }), moved);
  assert.deepEqual(update(nfs, { hostPath: { path: '/p' } }), moved);
  assert.deepEqual(update(nfs, { ...nfs, persistentVolumeReclaimPolicy: 'Delete', capacity: { storage: '2Gi' }, storageClassName: 'c' }), []);
  assert.deepEqual(update(secret('s'), secret('s')), []);
  assert.deepEqual(update(secret('s'), secret('t')), moved);
  assert.deepEqual(update(secret('s'), { csi: { driver: 'd', volumeHandle: 'h' } }), moved);
  assert.deepEqual(update(nfs, { ...nfs, volumeMode: 'Block' }), ['Invalid volumeMode']);
  assert.deepEqual([update(nfs, { ...nfs, ...nodes('x') }), update({ ...nfs, ...nodes('x') }, { ...nfs, ...nodes('x') })], [[], []]);
  assert.deepEqual([update({ ...nfs, ...nodes('x') }, { ...nfs, ...nodes('y') }), update({ ...nfs, ...nodes('x') }, nfs)], [['Invalid nodeAffinity'], ['Invalid nodeAffinity']]);
});

const storage = (amount: string): object => ({ ...CLAIM, resources: { requests: { storage: amount } } });
const claims: readonly (readonly [what: string, spec: object, causes: readonly string[]])[] = [
  ['nothing', {}, ['Required spec.accessModes', 'Required spec.resources[storage]']],
  ['no space', storage('0'), ['Invalid spec.resources[storage]']],
  ['less than no space', storage('-1Gi'), ['Invalid spec.resources[storage]']],
  ['a mode that is off, alone', { ...CLAIM, accessModes: ['ReadWriteOncePod'] }, ['NotSupported spec.accessModes']],
  ['a class that is none', { ...CLAIM, storageClassName: 'C' }, ['Invalid spec.storageClassName']],
  ['no class', { ...CLAIM, storageClassName: '' }, []],
  ['a source without a name', { ...CLAIM, dataSource: { kind: 'PersistentVolumeClaim', name: '' } }, ['Required spec.dataSource.name']],
  ['a selector that is none', { ...CLAIM, selector: { matchLabels: { 'a b': 'c' } } }, ['Invalid spec.selector.matchLabels']],
];

for (const [what, spec, causes] of claims) {
  test(`PersistentVolumeClaim: ${what}`, () => assert.deepEqual(write(PersistentVolumeClaim, { body: { spec } }).causes, causes));
}

test('R2.5-12 PersistentVolume and PersistentVolumeClaim: cells', async () => {
  const stored = write(PersistentVolume, { body: { spec: { ...VOLUME, claimRef: { namespace: 'n', name: 'c' }, accessModes: ['ReadWriteMany', 'ReadWriteOnce'] } } }).object;
  assert.deepEqual((stored as Volume).status, {}, 'the phase is one that readers see');
  const [volume] = (await PersistentVolume.storedForms?.load([stored])) ?? [];
  assert.deepEqual(cellsOf(PersistentVolume, volume as Volume), ['1Gi', 'RWO,RWX', 'Retain', 'Pending', 'n/c', '', '', 'Filesystem']);
  const [claim] = (await PersistentVolumeClaim.storedForms?.load([write(PersistentVolumeClaim, { body: { spec: { ...CLAIM, storageClassName: 's' } } }).object])) ?? [];
  assert.deepEqual(cellsOf(PersistentVolumeClaim, claim as Claim), ['Pending', '', '', '', 's', 'Filesystem']);
  const cells = (spec: object, status: object): readonly unknown[] => cellsOf(PersistentVolumeClaim, { ...(claim as Claim), spec: { ...(claim as Claim).spec, ...spec }, status } as Claim).slice(0, 4);
  const held = { phase: 'Bound', capacity: { storage: '2Gi' }, accessModes: ['ReadWriteOnce', 'ReadOnlyMany'] };
  assert.deepEqual(cells({ volumeName: 'v' }, held), ['Bound', 'v', '2Gi', 'RWO,ROX']);
  assert.deepEqual(cells({ volumeName: 'v' }, { phase: 'Lost' }), ['Lost', 'v', '0', '']);
  assert.deepEqual(cells({}, held), ['Bound', '', '', ''], 'a claim without a volume has nothing');
});

const claim = (spec: object): Claim => write(PersistentVolumeClaim, { body: { spec } }).object as Claim;
/** One that is stored with more than a new one could have. */
const kept = (more: object): Claim => ({ ...claim(CLAIM), spec: { ...claim(CLAIM).spec, ...more } });

test('PersistentVolumeClaim: sources of unknown kinds are dropped, but for those that are stored', () => {
  const rows: readonly (readonly [of: { readonly apiGroup: string | null; readonly kind: string }, isKept: boolean])[] = [
    [{ apiGroup: null, kind: 'PersistentVolumeClaim' }, true],
    [{ apiGroup: 'snapshot.storage.orch.io', kind: 'VolumeSnapshot' }, true],
    [{ apiGroup: 'snapshot.storage.orch.io', kind: 'Other' }, false],
    [{ apiGroup: 'example.com', kind: 'VolumeSnapshot' }, false],
    [{ apiGroup: 'example.com', kind: 'PersistentVolumeClaim' }, false],
    [{ apiGroup: 'example.com', kind: 'Other' }, false],
  ];
  for (const [of, isKept] of rows) {
    const source = { ...of, name: 'o' };
    assert.deepEqual(claim({ ...CLAIM, dataSource: source }).spec.dataSource, isKept ? source : undefined, JSON.stringify(of));
    const live = kept({ dataSource: source });
    const { object, causes } = write(PersistentVolumeClaim, { body: { spec: live.spec }, live });
    assert.deepEqual([causes, (object as Claim).spec.dataSource], [[], source], JSON.stringify(of));
  }
  const source = { apiGroup: null, kind: 'PersistentVolumeClaim', name: 'o' };
  assert.equal(claim({ ...CLAIM, dataSourceRef: source }).spec.dataSourceRef, undefined);
  const live = kept({ dataSourceRef: source });
  assert.deepEqual((write(PersistentVolumeClaim, { body: { spec: live.spec }, live }).object as Claim).spec.dataSourceRef, source);
});

test('PersistentVolumeClaim: a new one has no status, and that of one that is stored says nothing of a feature that is off', () => {
  const status = { phase: 'Bound', capacity: { storage: '1Gi' }, allocatedResources: { storage: '2Gi' }, resizeStatus: 'x' };
  const live = write(PersistentVolumeClaim, { body: { spec: CLAIM, status } }).object as Claim;
  assert.deepEqual(live.status, {});
  const written = (from: Claim): Claim['status'] => (write(PersistentVolumeClaim, { body: { spec: CLAIM, status }, live: from, subresource: 'status' }).object as Claim).status;
  assert.deepEqual(written(live), { phase: 'Bound', capacity: status.capacity });
  assert.deepEqual(written({ ...live, status }), status);
  const causes = (capacity: string): readonly string[] => write(PersistentVolumeClaim, { body: { spec: CLAIM, status: { ...status, capacity: { storage: capacity } } }, live, subresource: 'status' }).causes;
  assert.deepEqual([causes('1Gi'), causes('0'), causes('-1')], [[], [], ['Invalid status.capacity[storage]']]);
});

test('PersistentVolumeClaim: it can be bound once, grow while it is bound, and nothing else', () => {
  const live = claim(CLAIM);
  const update = (spec: object, from: Claim): readonly string[] => write(PersistentVolumeClaim, { body: { spec, status: from.status }, live: from }).causes;
  assert.deepEqual(update({ ...CLAIM, volumeName: 'v' }, live), []);
  const larger = { ...CLAIM, volumeName: 'v', resources: { requests: { storage: '2Gi' } } };
  const smaller = { ...CLAIM, volumeName: 'v', resources: { requests: { storage: '1Mi' } } };
  const bound = { ...claim({ ...CLAIM, volumeName: 'v' }), status: { phase: 'Bound' } };
  assert.deepEqual(update(larger, bound), []);
  assert.deepEqual(update(smaller, bound), ['Forbidden spec.resources.requests.storage']);
  assert.deepEqual(update({ ...CLAIM, volumeName: 'w' }, bound), ['Forbidden spec']);
  assert.deepEqual(update(CLAIM, bound), ['Forbidden spec']);
  assert.deepEqual(update({ ...CLAIM, volumeName: 'v', resources: {} }, bound), ['Required spec.resources[storage]', 'Forbidden spec', 'Forbidden spec.resources.requests.storage']);
  assert.deepEqual(update({ ...larger, accessModes: ['ReadOnlyMany'] }, bound), ['Forbidden spec']);
  assert.deepEqual(update({ ...CLAIM, volumeName: 'v', volumeMode: 'Block' }, live), ['Forbidden spec', 'Invalid volumeMode']);
});

test('PersistentVolumeClaim: the same amount in other words is no change', () => {
  const live = claim({ ...CLAIM, resources: { requests: { storage: '1Gi' } } });
  const causes = (storage: string): readonly string[] => write(PersistentVolumeClaim, { body: { spec: { ...CLAIM, resources: { requests: { storage } } } }, live }).causes;
  assert.deepEqual(causes('1073741824'), []);
  assert.deepEqual(causes('2Gi'), ['Forbidden spec']);
});

test('PersistentVolumeClaim: a class that stands in the annotation of old may be named in the member, too', () => {
  const annotations = { 'volume.beta.orch.io/storage-class': 's' };
  const live = write(PersistentVolumeClaim, { body: { metadata: { annotations }, spec: CLAIM } }).object as Claim;
  const causes = (storageClassName: string): readonly string[] => write(PersistentVolumeClaim, { body: { metadata: { annotations }, spec: { ...CLAIM, storageClassName } }, live }).causes;
  assert.deepEqual(causes('s'), []);
  assert.deepEqual(causes('t'), ['Forbidden spec']);
});

test('PersistentVolumeClaim: a class that stands in the annotation of old goes only where the member has it, and is no other one', () => {
  const key = 'volume.beta.orch.io/storage-class';
  const causes = (next: object, spec: object, annotations: object = { [key]: 's' }): readonly string[] => {
    const live = write(PersistentVolumeClaim, { body: { metadata: { annotations }, spec: CLAIM } }).object as Claim;
    return write(PersistentVolumeClaim, { body: { metadata: { annotations: next }, spec: { ...CLAIM, ...spec } }, live }).causes;
  };
  const refused = `Invalid metadata.annotations.${key}`;
  assert.deepEqual(causes({}, { storageClassName: 's' }), []);
  assert.deepEqual(causes({}, {}), [refused]);
  assert.deepEqual(causes({ [key]: 't' }, {}), [refused]);
  assert.deepEqual(causes({ [key]: 't' }, { storageClassName: 's' }), [refused, 'Forbidden spec']);
  assert.deepEqual(causes({ [key]: 's' }, {}, {}), [refused]);
  assert.deepEqual(causes({}, { storageClassName: 's' }, {}), ['Forbidden spec']);
});

for (const [kind, spec] of [[PersistentVolume, VOLUME], [PersistentVolumeClaim, CLAIM]] as const) {
  test(`${kind.kind}: one that is stored for a single pod can be updated, though no new one can be made`, () => {
    const live = write(kind as never, { body: { spec: { ...spec, accessModes: ['ReadWriteOncePod'] } } }).object;
    const causes = (accessModes: readonly string[]): readonly string[] => write(kind as never, { body: { ...live, spec: { ...spec, accessModes } }, live }).causes;
    assert.deepEqual(causes(['ReadWriteOncePod']), []);
    assert.ok(causes(['ReadWriteOncePod', 'ReadWriteOnce']).includes('Forbidden spec.accessModes'));
  });
}

for (const kind of [PersistentVolume, PersistentVolumeClaim]) {
  test(`${kind.kind}: one that is stored without a phase, by whomever, is pending`, async () => {
    const stored = { apiVersion: 'v1', kind: kind.kind, metadata: { name: 'v' } };
    const [bare, empty, bound] = (await kind.storedForms?.load([{ ...stored }, { ...stored, status: {} } as ApiObject, { ...stored, status: { phase: 'Bound' } } as ApiObject])) ?? [];
    const phases = [bare, empty, bound].map((one) => (one as Volume | undefined)?.status.phase);
    assert.deepEqual(phases, ['Pending', 'Pending', 'Bound']);
  });
}
