import { quantityScalar, t } from '#schema';
import { ObjectReference } from '../object-reference.ts';
import { NodeSelector } from '../pod/node-selector.ts';
import { roundUpAmounts } from '../pod/resources.ts';
import { PersistentVolumeSource } from './persistent-volume-source.ts';

export class VolumeNodeAffinity extends t.message('core/v1.VolumeNodeAffinity', {
  required: t.perhaps(1, NodeSelector),
}) {}

export class PersistentVolumeSpec extends t.message(
  'core/v1.PersistentVolumeSpec',
  {
    capacity: t.map(1, quantityScalar),
    source: t.inline(2, PersistentVolumeSource),
    accessModes: t.strings(3),
    claimRef: t.perhaps(4, ObjectReference),
    persistentVolumeReclaimPolicy: t.string(5),
    storageClassName: t.string(6),
    mountOptions: t.strings(7),
    volumeMode: t.maybe.string(8),
    nodeAffinity: t.perhaps(9, VolumeNodeAffinity),
  },
  {
    defaults({ capacity }) {
      roundUpAmounts(capacity);
    },
  },
) {}
