import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellsOf, write } from '../test-support.ts';
import { CSIDriver, type CSIDriver as Driver } from './csi-driver.ts';
import { CSINode } from './csi-node.ts';
import { CSIStorageCapacity } from './csi-storage-capacity.ts';
import { StorageClass, type StorageClass as Class } from './storage-class.ts';
import { VolumeAttachment } from './volume-attachment.ts';

const ZONES = { matchLabelExpressions: [{ key: 'zone', values: ['a', 'b'] }] };

const classes: readonly (readonly [what: string, body: object, causes: readonly string[]])[] = [
  ['nothing', {}, ['Required provisioner']],
  ['a bad policy', { provisioner: 'p', reclaimPolicy: 'Keep' }, ['NotSupported reclaimPolicy']],
  ['the same zones twice', { provisioner: 'p', allowedTopologies: [ZONES, ZONES] }, ['Duplicate allowedTopologies[1].matchLabelExpressions']],
  ['no zones', { provisioner: 'p', allowedTopologies: [{}] }, ['Duplicate allowedTopologies[0].matchLabelExpressions']],
  ['too many parameters', { provisioner: 'p', parameters: Object.fromEntries(Array.from({ length: 513 }, (_, at) => [`k${at}`, ''])) }, ['TooLong parameters']],
];

for (const [what, body, causes] of classes) test(`StorageClass: ${what}`, () => assert.deepEqual(write(StorageClass, { body }).causes, causes));

test('StorageClass: what volumes were made by stays', () => {
  const live = write(StorageClass, { body: { provisioner: 'p', parameters: { a: 'b' } } }).object as Class;
  assert.deepEqual(cellsOf(StorageClass, live).slice(1, 5), ['p', 'Delete', 'Immediate', false]);
  const body = { provisioner: 'q', reclaimPolicy: 'Retain', volumeBindingMode: 'WaitForFirstConsumer' };
  assert.deepEqual(write(StorageClass, { body, live }).causes, ['Forbidden parameters', 'Forbidden provisioner', 'Forbidden reclaimPolicy', 'Invalid volumeBindingMode']);
});

test('StorageClass: tables say which is the default, by either mark and in either dialect', () => {
  const named = (annotations: Record<string, string>): unknown => {
    const { object } = write(StorageClass, { body: { provisioner: 'p' } });
    return cellsOf(StorageClass, { ...object, metadata: { ...object.metadata, name: 'c', annotations } } as Class)[0];
  };
  assert.equal(named({}), 'c');
  assert.equal(named({ 'storageclass.kubernetes.io/is-default-class': 'false' }), 'c');
  assert.equal(named({ 'storageclass.kubernetes.io/is-default-class': 'true' }), 'c (default)');
  assert.equal(named({ 'storageclass.beta.orch.io/is-default-class': 'true' }), 'c (default)');
});

test('CSIDriver: a token without an audience has an empty one in tables', () => {
  const driver = (tokenRequests: readonly object[]): unknown => cellsOf(CSIDriver, write(CSIDriver, { body: { spec: { tokenRequests } } }).object)[3];
  assert.equal(driver([]), '<unset>');
  assert.equal(driver([{ audience: '' }, { audience: 'a' }]), ',a');
});

test('CSIDriver: defaults, immutable members, and a generation that only changes make', () => {
  const live = write(CSIDriver, { body: { spec: {} } }).object as Driver;
  assert.deepEqual(live.spec, {
    attachRequired: true,
    podInfoOnMount: false,
    volumeLifecycleModes: ['Persistent'],
    storageCapacity: false,
    fsGroupPolicy: 'ReadWriteOnceWithFSType',
    requiresRepublish: false,
  });
  assert.equal(live.metadata.generation, undefined);
  assert.deepEqual(write(CSIDriver, { body: { spec: { attachRequired: false } }, live }).causes, ['Invalid spec.attachedRequired']);
  const { messages } = write(CSIDriver, { body: { spec: { volumeLifecycleModes: ['Ephemeral'] } }, live });
  assert.deepEqual(messages, ['Invalid value: []storage.VolumeLifecycleMode{"Ephemeral"}: field is immutable']);
  assert.deepEqual(write(CSIDriver, { body: { spec: { fsGroupPolicy: 'x' } }, live }).causes, ['NotSupported spec.fsGroupPolicy', 'Invalid spec.fsGroupPolicy']);
  assert.equal(write(CSIDriver, { body: { spec: { requiresRepublish: true } }, live }).object.metadata.generation, 1);
  assert.deepEqual(write(CSIDriver, { body: { metadata: { name: 'x'.repeat(64) }, spec: {} } }).causes, []);
  assert.deepEqual(write(CSIDriver, { body: { metadata: { name: 'x_y' }, spec: {} } }).causes, ['Invalid metadata.name']);
});

test('CSINode: a driver that is there stays as it is', () => {
  const driver = { name: 'd', nodeID: 'n', topologyKeys: ['zone'] };
  const live = write(CSINode, { body: { spec: { drivers: [driver] } } }).object;
  const { causes, messages } = write(CSINode, { body: { spec: { drivers: [{ ...driver, nodeID: 'm' }] } }, live });
  assert.deepEqual(causes, ['Invalid CSINodeDriver']);
  assert.deepEqual(messages, ['Invalid value: storage.CSINodeDriver{Name:"d", NodeID:"m", TopologyKeys:[]string{"zone"}, Allocatable:(*storage.VolumeNodeResources)(nil)}: field is immutable']);
  assert.deepEqual(write(CSINode, { body: { spec: { drivers: [{ ...driver, name: 'e' }] } }, live }).causes, []);
  assert.deepEqual(write(CSINode, { body: { spec: { drivers: [driver, { ...driver, nodeID: 'm' }] } }, live }).causes, ['Duplicate spec.drivers[1].name', 'Invalid CSINodeDriver']);
  assert.deepEqual(write(CSINode, { body: { spec: { drivers: [driver, { ...driver, topologyKeys: [''] }] } } }).causes, ['Duplicate spec.drivers[1].name', 'Required spec.drivers[1]', 'Invalid spec.drivers[1]']);
});

test('CSINode: the name that a driver has for the node may be long', () => {
  const named = (length: number): readonly string[] => write(CSINode, { body: { spec: { drivers: [{ name: 'd', nodeID: 'n'.repeat(length) }] } } }).messages;
  assert.deepEqual([named(256), named(257).map((text) => text.slice(-33))], [[], ['": must be 256 characters or less']]);
});

test('StorageClass: a provisioner is checked, and shown, in lower case', () => {
  assert.match(write(StorageClass, { body: { provisioner: 'Bad!' } }).messages[0] ?? '', /^Invalid value: "bad!": /);
});

test('CSIStorageCapacity: rules', () => {
  assert.deepEqual(write(CSIStorageCapacity, { body: { capacity: '-1' } }).causes, ['Invalid storageClassName', 'Invalid capacity']);
  const live = write(CSIStorageCapacity, { body: { storageClassName: 'a' } }).object;
  assert.deepEqual(write(CSIStorageCapacity, { body: { storageClassName: 'b', capacity: '2Gi' }, live }).causes, ['Invalid storageClassName']);
});

test('VolumeAttachment: rules, also of a volume that stands inside', () => {
  const inline = { accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' }, capacity: { storage: '1Gi' } };
  const body = { spec: { attacher: 'd', nodeName: 'n', source: { inlineVolumeSpec: inline } } };
  const at = 'spec.source.inlineVolumeSpec';
  assert.deepEqual(write(VolumeAttachment, { body }).causes, [`Forbidden ${at}.capacity`, `Required ${at}.csi`]);
  const driven = { accessModes: ['ReadWriteOnce'], csi: { driver: 'd', volumeHandle: 'h' } };
  const attached = write(VolumeAttachment, { body: { spec: { ...body.spec, source: { inlineVolumeSpec: driven } } } });
  assert.deepEqual((attached.object as VolumeAttachment).spec.source.inlineVolumeSpec, driven);
  const good = { attacher: 'd', nodeName: 'n', source: { persistentVolumeName: 'p' } };
  const live = write(VolumeAttachment, { body: { spec: good } }).object;
  assert.deepEqual(write(VolumeAttachment, { body: { spec: { ...good, nodeName: 'm' } }, live }).causes, ['Invalid spec']);
});
