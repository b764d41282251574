import assert from 'node:assert/strict';
import { test } from 'node:test';
import { container, faultsOf, templateOf } from '../pod/test-support.ts';
import { VOLUME_KINDS, type VolumeKind } from './volume.ts';

const faultsWith = (volume: object): readonly string[] =>
  faultsOf({ volumes: [{ name: 'v', ...volume }] }).map((fault) => fault.replace('spec.volumes[0]', 'v'));

/** One good volume of each kind; the type makes sure that none is missing. */
const GOOD: Readonly<Record<VolumeKind, object>> = {
  hostPath: { path: '/a' },
  emptyDir: {},
  gcePersistentDisk: { pdName: 'a' },
  awsElasticBlockStore: { volumeID: 'a' },
  gitRepo: { repository: 'a' },
  secret: { secretName: 'a' },
  nfs: { server: 'a', path: '/a' },
  iscsi: { targetPortal: 'a', iqn: 'iqn.2001-04.com.example:a', lun: 0 },
  glusterfs: { endpoints: 'a', path: 'a' },
  persistentVolumeClaim: { claimName: 'a' },
  rbd: { monitors: ['a'], image: 'a' },
  flexVolume: { driver: 'a' },
  cinder: { volumeID: 'a' },
  cephfs: { monitors: ['a'] },
  flocker: { datasetName: 'a' },
  downwardAPI: { items: [{ path: 'a', fieldRef: { fieldPath: 'metadata.labels' } }] },
  fc: { wwids: ['a'] },
  azureFile: { secretName: 'a', shareName: 'a' },
  configMap: { name: 'a' },
  vsphereVolume: { volumePath: 'a' },
  quobyte: { registry: 'a:1,[::1]:2', volume: 'a' },
  azureDisk: { diskName: 'a', diskURI: 'https://a' },
  photonPersistentDisk: { pdID: 'a' },
  projected: { sources: [{ serviceAccountToken: { path: 'a' } }] },
  portworxVolume: { volumeID: 'a' },
  scaleIO: { gateway: 'a', system: 'a', secretRef: { name: 'a' }, volumeName: 'a' },
  storageos: { volumeName: 'a' },
  csi: { driver: 'a.b' },
  ephemeral: { volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } } },
};

test('every kind of volume is known to validation and to defaults', () => {
  for (const kind of VOLUME_KINDS) {
    assert.deepEqual(faultsWith({ [kind]: GOOD[kind] }), [], kind);
    assert.equal(templateOf({ volumes: [{ name: 'v', [kind]: GOOD[kind] }] }).spec.volumes?.[0]?.emptyDir !== undefined, kind === 'emptyDir', kind);
  }
});

test('a volume is of one kind, the first in order; others are refused', () => {
  assert.deepEqual(faultsWith({ hostPath: { path: '/a' }, emptyDir: {} }), ['Forbidden v.hostPath']);
  const named = { ...GOOD.iscsi, targetPortal: 'a'.repeat(63), initiatorName: 'iqn.2001-04.com.example:a' };
  assert.deepEqual(faultsWith({ iscsi: named, csi: GOOD.csi }), ['Invalid v.name', 'Forbidden v.csi']);
  assert.deepEqual(faultsWith({ hostPath: GOOD.hostPath, iscsi: named }), ['Forbidden v.iscsi', 'Invalid v.name']);
  assert.deepEqual(faultsWith({ downwardAPI: {}, secret: { secretName: 'a' } }), ['Forbidden v.downwarAPI']);
});

const bad: readonly (readonly [volume: object, faults: readonly string[]])[] = [
  [{ name: '' }, ['Required v.name']],
  [{ name: 'A' }, ['Invalid v.name']],
  [{ emptyDir: { sizeLimit: '-1' } }, ['Forbidden v.emptyDir.sizeLimit']],
  [{ hostPath: { path: '' } }, ['Required v.hostPath.path']],
  [{ hostPath: { path: '/a/../b', type: 'x' } }, ['Invalid v.hostPath.path', 'NotSupported v.hostPath.type']],
  [{ gitRepo: { repository: '', directory: '/a' } }, ['Required v.gitRepo.repository', 'Invalid v.gitRepo.directory']],
  [{ gcePersistentDisk: { pdName: '', partition: 256 } }, ['Required v.persistentDisk.pdName', 'Invalid v.persistentDisk.partition']],
  [{ awsElasticBlockStore: { volumeID: '' } }, ['Required v.awsElasticBlockStore.volumeID']],
  [{ secret: { defaultMode: 512 } }, ['Required v.secret.secretName', 'Invalid v.secret.defaultMode']],
  [{ configMap: { name: 'a', items: [{ key: '', path: '..a', mode: -1 }] } }, ['Required v.configMap.items[0].key', 'Invalid v.configMap.items[0].path', 'Invalid v.configMap.items[0].mode']],
  [{ nfs: { server: '', path: 'a' } }, ['Required v.nfs.server', 'Invalid v.nfs.path']],
  [{ iscsi: { targetPortal: '', iqn: 'x', lun: 256, chapAuthSession: true } }, ['Required v.iscsi.targetPortal', 'Invalid v.iscsi.iqn', 'Invalid v.iscsi.lun', 'Required v.iscsi.secretRef']],
  [{ iscsi: { ...GOOD.iscsi, targetPortal: 'a'.repeat(63), initiatorName: 'naa.x' } }, ['Invalid v.iscsi.initiatorname', 'Invalid v.name']],
  [{ glusterfs: {} }, ['Required v.glusterfs.endpoints', 'Required v.glusterfs.path']],
  [{ persistentVolumeClaim: {} }, ['Required v.persistentVolumeClaim.claimName']],
  [{ rbd: {} }, ['Required v.rbd.monitors', 'Required v.rbd.image']],
  [{ flexVolume: { options: { 'a.ORCH.io/x': '' } } }, ['Required v.flexVolume.driver', 'Invalid v.flexVolume.options[a.ORCH.io/x]']],
  [{ cinder: { secretRef: {} } }, ['Required v.cinder.volumeID', 'Required v.cinder.secretRef.name']],
  [{ cephfs: {} }, ['Required v.cephfs.monitors']],
  [{ flocker: {} }, ['Required v.flocker']],
  [{ flocker: { datasetName: 'a/b', datasetUUID: 'c' } }, ['Invalid v.flocker', 'Invalid v.flocker.datasetName']],
  [{ downwardAPI: { items: [{ path: '/a' }] } }, ['Invalid v.downwardAPI.path', 'Required v.downwardAPI']],
  [{ downwardAPI: { items: [{ path: 'a', fieldRef: { fieldPath: 'spec.nodeName' } }] } }, ['NotSupported v.downwardAPI.fieldRef.fieldPath']],
  [{ downwardAPI: { items: [{ path: 'a', resourceFieldRef: { resource: 'limits.cpu' } }] } }, ['Required v.downwardAPI.resourceFieldRef.containerName']],
  [{ fc: {} }, ['Required v.fc.targetWWNs']],
  [{ fc: { targetWWNs: ['a'], wwids: ['b'] } }, ['Invalid v.fc.targetWWNs', 'Required v.fc.lun']],
  [{ azureFile: {} }, ['Required v.azureFile.secretName', 'Required v.azureFile.shareName']],
  [{ azureDisk: { diskName: 'a', diskURI: 'https://a', kind: 'Managed' } }, ['NotSupported v.azureDisk.diskURI']],
  [{ azureDisk: { diskName: 'a', diskURI: 'u', cachingMode: 'x' } }, ['NotSupported v.azureDisk.cachingMode', 'NotSupported v.azureDisk.diskURI']],
  [{ vsphereVolume: {} }, ['Required v.vsphereVolume.volumePath']],
  [{ photonPersistentDisk: {} }, ['Required v.photonPersistentDisk.pdID']],
  [{ quobyte: { registry: 'a', volume: '' } }, ['Invalid v.quobyte.registry', 'Required v.quobyte.volume']],
  [{ quobyte: { registry: 'a:1', volume: 'a', tenant: 't'.repeat(65) } }, ['Required v.quobyte.tenant']],
  [{ projected: { sources: [{ serviceAccountToken: { path: '/a/../b' } }] } }, []],
  [{ projected: { sources: [{ serviceAccountToken: { path: '', expirationSeconds: 1 } }] } }, ['Invalid v.projected.sources[0].serviceAccountToken.expirationSeconds', 'Required v.projected.path']],
  [{ projected: { sources: ['a', 'b'].map((name) => ({ secret: { name, items: [{ key: 'k', path: 'p' }] } })) } }, ['Invalid v.projected']],
  [{ projected: { sources: [{ secret: {}, configMap: { name: 'a' } }] } }, ['Required v.projected.sources[0].secret.name', 'Forbidden v.projected.sources[0]']],
  [{ portworxVolume: {} }, ['Required v.portworxVolume.volumeID']],
  [{ scaleIO: {} }, ['Required v.scaleIO.gateway', 'Required v.scaleIO.system', 'Required v.scaleIO.volumeName']],
  [{ storageos: { volumeNamespace: 'A' } }, ['Required v.storageos.volumeName', 'Invalid v.storageos.volumeNamespace']],
  [{ csi: { driver: 'a b', nodePublishSecretRef: {} } }, ['Invalid v.csi.driver', 'Required v.csi.nodePublishSecretRef .name']],
  [{ csi: { driver: 'a', nodePublishSecretRef: { name: 'a b' } } }, ['Invalid v.csi.name']],
  [{ emptyDir: {}, cephfs: { monitors: [] } }, ['Forbidden v.cephFS']],
  [{ ephemeral: {} }, ['Required v.ephemeral.volumeClaimTemplate']],
  [
    { ephemeral: { volumeClaimTemplate: { metadata: { name: 'a' }, spec: { volumeMode: 'x', dataSource: { kind: 'X', name: '' } } } } },
    [
      'Forbidden v.ephemeral.volumeClaimTemplate.metadata.name',
      'Required v.ephemeral.volumeClaimTemplate.spec.accessModes',
      'Required v.ephemeral.volumeClaimTemplate.spec.resources[storage]',
      'NotSupported v.ephemeral.volumeClaimTemplate.spec.volumeMode',
      'Required v.ephemeral.volumeClaimTemplate.spec.dataSource.name',
      'Invalid v.ephemeral.volumeClaimTemplate.spec.dataSource',
    ],
  ],
];

test('what is wrong with a volume', () => {
  for (const [volume, faults] of bad) assert.deepEqual(faultsWith(volume), faults, JSON.stringify(volume));
});

test('only volumes without fault can be mounted', () => {
  const mount = (name: string, more: object = {}): object => ({ containers: [container({ volumeMounts: [{ name, mountPath: '/m', ...more }] })] });
  const good = [{ name: 'v' }];
  assert.deepEqual(faultsOf({ ...mount('v'), volumes: good }), []);
  assert.deepEqual(faultsOf(mount('v')), ['NotFound spec.containers[0].volumeMounts[0].name']);
  assert.deepEqual(faultsOf({ ...mount('v'), volumes: [{ name: 'v', nfs: { server: 'a', path: 'a' } }] }), [
    'Invalid spec.volumes[0].nfs.path',
    'NotFound spec.containers[0].volumeMounts[0].name',
  ]);
  assert.deepEqual(faultsOf({ volumes: [...good, ...good] }), ['Duplicate spec.volumes[1].name']);
  assert.deepEqual(faultsOf({ ...mount('v', { subPath: '../a', mountPropagation: 'Bidirectional' }), volumes: good }), [
    'Invalid spec.containers[0].volumeMounts.subPath',
    'Forbidden spec.containers[0].volumeMounts.mountPropagation',
  ]);
});

test('block devices are claims, and stand apart from mounts', () => {
  const volumes = [{ name: 'v' }, { name: 'p', persistentVolumeClaim: { claimName: 'c' } }];
  const using = (more: object): readonly string[] => faultsOf({ volumes, containers: [container(more)] }).map((fault) => fault.replace('spec.containers[0].', ''));
  assert.deepEqual(using({ volumeDevices: [{ name: 'p', devicePath: '/d' }] }), []);
  assert.deepEqual(using({ volumeDevices: [{ name: 'v', devicePath: '/d' }] }), ['Invalid volumeDevices[0].name']);
  const mounts = (...paths: readonly string[]): object => ({ volumeDevices: [{ name: 'p', devicePath: '/d' }], volumeMounts: paths.map((mountPath) => ({ name: 'v', mountPath })) });
  assert.deepEqual(using(mounts('/a', '/d')), ['Invalid volumeMounts[1].mountPath', 'Invalid volumeDevices[0].devicePath']);
  assert.deepEqual(using(mounts('/d', '/a')), ['Invalid volumeMounts[0].mountPath']);
  assert.deepEqual(using({ volumeDevices: [{ name: 'p', devicePath: '/d' }], volumeMounts: [{ name: 'p', mountPath: '/d' }] }), [
    'Invalid volumeMounts[0].name',
    'Invalid volumeMounts[0].mountPath',
    'Invalid volumeDevices[0].name',
    'Invalid volumeDevices[0].devicePath',
  ]);
});

test('of many faulty volumes no more is told than of anything else', () => {
  const told = faultsOf({ volumes: Array.from({ length: 50_000 }, () => ({ name: '' })) }).length;
  assert.ok(told > 1000 && told < 40_000, `${told} faults`);
});
