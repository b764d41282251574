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
  ['a mode that is none', { provisioner: 'p', volumeBindingMode: 'Later' }, ['NotSupported volumeBindingMode']],
  ['a parameter without a name', { provisioner: 'p', parameters: { '': 'x', a: '' } }, ['Invalid parameters']],
  ['as many parameters as there may be', { provisioner: 'p', parameters: Object.fromEntries(Array.from({ length: 512 }, (_, at) => [`k${at}`, ''])) }, []],
  ['parameters as long as they may be', { provisioner: 'p', parameters: { a: 'ä'.repeat(131_071), b: '' } }, []],
  ['parameters that are longer', { provisioner: 'p', parameters: { a: 'ä'.repeat(131_071), bc: '' } }, ['TooLong parameters']],
  ['too many parameters', { provisioner: 'p', parameters: Object.fromEntries(Array.from({ length: 513 }, (_, at) => [`k${at}`, ''])) }, ['TooLong parameters']],
];

for (const [what, body, causes] of classes) test(`StorageClass: ${what}`, () => assert.deepEqual(write(StorageClass, { body }).causes, causes));

test('StorageClass: what volumes were made by stays', () => {
  const live = write(StorageClass, { body: { provisioner: 'p', parameters: { a: 'b' } } }).object as Class;
  assert.deepEqual(cellsOf(StorageClass, live).slice(1, 5), ['p', 'Delete', 'Immediate', false]);
  assert.deepEqual(write(StorageClass, { body: { provisioner: 'p', parameters: { a: 'b' }, allowVolumeExpansion: true, mountOptions: ['ro'] }, live }).causes, []);
  assert.deepEqual(write(StorageClass, { body: { provisioner: 'p', parameters: { a: 'c' } }, live }).causes, ['Forbidden parameters']);
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
  const generation = (spec: object, before?: number): unknown => {
    const stored = { ...live, metadata: { ...live.metadata, ...(before === undefined ? {} : { generation: before }) } };
    return write(CSIDriver, { body: { metadata: { generation: before }, spec }, live: stored }).object.metadata.generation;
  };
  assert.deepEqual([generation({}), generation({ requiresRepublish: true }), generation({ requiresRepublish: true }, 4)], [undefined, 1, 5]);
  assert.deepEqual([generation({ storageCapacity: true }, 4), generation({ tokenRequests: [{ audience: 'a' }] }, 4)], [4, 5]);
  assert.deepEqual(write(CSIDriver, { body: { metadata: { name: 'x'.repeat(64) }, spec: {} } }).causes, []);
  assert.deepEqual(write(CSIDriver, { body: { metadata: { name: 'x_y' }, spec: {} } }).causes, ['Invalid metadata.name']);
});

test('CSIDriver: tokens are for one audience each and live ten minutes at least, modes are known ones, on a create as later', () => {
  const live = write(CSIDriver, { body: { spec: {} } }).object as Driver;
  const token = (seconds: number, audience = 'a'): object => ({ audience, expirationSeconds: seconds });
  const rows: readonly (readonly [tokenRequests: readonly object[], causes: readonly string[]])[] = [
    [[token(600), token(2 ** 32, 'b'), { audience: '' }], []],
    [[token(599)], ['Invalid spec.tokenRequests[0].expirationSeconds']],
    [[token(600), token(2 ** 32 + 1, 'b')], ['Invalid spec.tokenRequests[1].expirationSeconds']],
    [[token(600), token(601)], ['Duplicate spec.tokenRequests[1].audience']],
  ];
  for (const [tokenRequests, causes] of rows) {
    assert.deepEqual(write(CSIDriver, { body: { spec: { tokenRequests } } }).causes, causes);
    const changed = write(CSIDriver, { body: { spec: { tokenRequests } }, live });
    // As in kube-apiserver each fault of a change is told twice.
    assert.deepEqual([changed.causes, changed.messages.length], [causes, 2 * causes.length]);
  }
  assert.deepEqual(write(CSIDriver, { body: { spec: { volumeLifecycleModes: ['Ephemeral', 'Persistent'] } } }).causes, []);
  assert.deepEqual(write(CSIDriver, { body: { spec: { volumeLifecycleModes: ['Ephemeral', 'x'] } } }).causes, ['NotSupported spec.volumeLifecycleModes']);
});

test('CSINode: a driver that is there stays as it is', () => {
  const driver = { name: 'd', nodeID: 'n', topologyKeys: ['zone'] };
  const live = write(CSINode, { body: { spec: { drivers: [driver] } } }).object;
  assert.deepEqual(write(CSINode, { body: { spec: { drivers: [driver, { ...driver, name: 'e' }] } }, live }).causes, []);
  const { causes, messages } = write(CSINode, { body: { spec: { drivers: [{ ...driver, nodeID: 'm' }] } }, live });
  assert.deepEqual(causes, ['Invalid CSINodeDriver']);
  assert.deepEqual(messages, ['Invalid value: storage.CSINodeDriver{Name:"d", NodeID:"m", TopologyKeys:[]string{"zone"}, Allocatable:(*storage.VolumeNodeResources)(nil)}: field is immutable']);
  assert.deepEqual(write(CSINode, { body: { spec: { drivers: [{ ...driver, name: 'e' }] } }, live }).causes, []);
  assert.deepEqual(write(CSINode, { body: { spec: { drivers: [driver, { ...driver, nodeID: 'm' }] } }, live }).causes, ['Duplicate spec.drivers[1].name', 'Invalid CSINodeDriver']);
  assert.deepEqual(write(CSINode, { body: { spec: { drivers: [driver, { ...driver, topologyKeys: [''] }] } } }).causes, ['Duplicate spec.drivers[1].name', 'Required spec.drivers[1]', 'Invalid spec.drivers[1]']);
});

test('CSINode: changed drivers are told in the order in which they were there before', () => {
  const [one, other] = ['d', 'e'].map((name) => ({ name, nodeID: 'n' }));
  const live = write(CSINode, { body: { spec: { drivers: [one, other] } } }).object;
  const { messages } = write(CSINode, { body: { spec: { drivers: [{ ...other, nodeID: 'm' }, { ...one, nodeID: 'm' }] } }, live });
  assert.deepEqual(messages.map((text) => /Name:"(.)"/.exec(text)?.[1]), ['d', 'e']);
});

test('CSINode: a driver has a name, the node one with it, and topology keys that differ', () => {
  const drivers = [{ name: '', nodeID: '' }, { name: 'd', nodeID: 'n', topologyKeys: ['a', 'b', 'a'], allocatable: { count: -1 } }, { name: 'e', nodeID: 'n', topologyKeys: ['a'], allocatable: { count: 0 } }];
  const at = 'spec.drivers';
  assert.deepEqual(write(CSINode, { body: { spec: { drivers } } }).causes, [`Required ${at}[0].name`, `Invalid ${at}[0].name`, `Required ${at}[0].nodeID`, `Invalid ${at}[1].allocatable.count`, `Duplicate ${at}[1]`]);
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

test('CSIStorageCapacity: what it is about stays, how much there is changes', () => {
  const here = { storageClassName: 'a', nodeTopology: { matchLabels: { zone: 'x' } } };
  const live = write(CSIStorageCapacity, { body: here }).object;
  const changed = (more: object): readonly string[] => write(CSIStorageCapacity, { body: { ...here, ...more }, live }).messages;
  assert.deepEqual([changed({ capacity: '0' }), changed({ maximumVolumeSize: '1Gi' })], [[], []]);
  assert.deepEqual(changed({ nodeTopology: { matchLabels: { zone: 'y' } } }), ['Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"zone":"y"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: field is immutable']);
  assert.deepEqual(changed({ nodeTopology: undefined }), ['Invalid value: "null": field is immutable']);
  assert.equal(changed({ capacity: '-1' }).length, 1);
});

test('CSIStorageCapacity: faults of a new one are told twice, those of its metadata too', () => {
  const { causes, messages } = write(CSIStorageCapacity, { body: { metadata: { labels: { 'a b': '' } }, storageClassName: 'a', nodeTopology: { matchExpressions: [{ key: 'a', operator: 'Like' }] } } });
  assert.deepEqual([causes, messages.length], [['Invalid metadata.labels', 'Invalid nodeTopology.matchExpressions[0].operator'], 4]);
});

test('VolumeAttachment: rules, also of a volume that stands inside', () => {
  const inline = { accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' }, capacity: { storage: '1Gi' } };
  const body = { spec: { attacher: 'd', nodeName: 'n', source: { inlineVolumeSpec: inline } } };
  const at = 'spec.source.inlineVolumeSpec';
  assert.deepEqual(write(VolumeAttachment, { body }).causes, [`Forbidden ${at}.capacity`, `Required ${at}.csi`]);
  const driven = { accessModes: ['ReadWriteOnce'], csi: { driver: 'd', volumeHandle: 'h' } };
  const attached = write(VolumeAttachment, { body: { spec: { ...body.spec, source: { inlineVolumeSpec: driven } } } });
  assert.deepEqual((attached.object as VolumeAttachment).spec.source.inlineVolumeSpec, driven);
  const inside = (more: object): readonly string[] => write(VolumeAttachment, { body: { spec: { ...body.spec, source: { inlineVolumeSpec: { ...driven, ...more } } } } }).causes;
  assert.deepEqual(inside({ persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' }), []);
  const ofVolumes = { claimRef: { namespace: 'n', name: 'c' }, capacity: { storage: '1Gi' }, persistentVolumeReclaimPolicy: 'Delete', nodeAffinity: {}, storageClassName: 's', volumeMode: 'Block' };
  assert.deepEqual(inside(ofVolumes), Object.keys(ofVolumes).map((member) => `Forbidden ${at}.${member}`));
  const good = { attacher: 'd', nodeName: 'n', source: { persistentVolumeName: 'p' } };
  const live = write(VolumeAttachment, { body: { spec: good } }).object;
  const moved = write(VolumeAttachment, { body: { spec: { ...good, nodeName: 'm' } }, live });
  const source = 'storage.VolumeAttachmentSource{PersistentVolumeName:(*string)(0xc000000000), InlineVolumeSpec:(*core.PersistentVolumeSpec)(nil)}';
  assert.deepEqual([moved.causes, moved.messages], [['Invalid spec'], [`Invalid value: storage.VolumeAttachmentSpec{Attacher:"d", Source:${source}, NodeName:"m"}: field is immutable`]]);
  const status = { attached: true, attachmentMetadata: { a: 'b' }, attachError: { message: 'x'.repeat(1024) } };
  assert.deepEqual(write(VolumeAttachment, { body: { spec: good, status: status }, live }).causes, []);
  assert.deepEqual(write(VolumeAttachment, { body: { spec: good, status: { attachmentMetadata: { a: 'x'.repeat(256 * 1024 - 1) } } }, live }).causes, []);
  const long = { attachmentMetadata: { a: 'x'.repeat(256 * 1024) }, attachError: { message: 'x'.repeat(1025) }, detachError: { message: 'x'.repeat(1025) } };
  assert.deepEqual(write(VolumeAttachment, { body: { spec: good, status: long }, live }).causes, ['TooLong status.attachmentMetadata', 'TooLong status.attachError.message', 'TooLong status.detachError.message']);
});

test('VolumeAttachment: a driver attaches one volume to one node', () => {
  const causes = (spec: object): readonly string[] => write(VolumeAttachment, { body: { spec } }).causes;
  const good = { attacher: 'd', nodeName: 'n', source: { persistentVolumeName: 'p' } };
  assert.deepEqual(causes(good), []);
  assert.deepEqual(causes({ ...good, attacher: 'a b' }), ['Invalid spec.attacher']);
  assert.deepEqual(causes({ ...good, nodeName: '' }), ['Invalid spec.nodeName']);
  assert.deepEqual(causes({ ...good, source: {} }), ['Required spec.source']);
  assert.deepEqual(causes({ ...good, source: { persistentVolumeName: '' } }), ['Required spec.source.persistentVolumeName', 'Invalid spec.source.persistentVolumeName']);
  assert.deepEqual(causes({ ...good, source: { persistentVolumeName: 'P' } }), ['Invalid spec.source.persistentVolumeName']);
  assert.deepEqual(causes({ ...good, source: { persistentVolumeName: 'p', inlineVolumeSpec: {} } }), ['Forbidden spec.source']);
});
