import { LabelSelector, ObjectMeta } from '#api';
import { t } from '#schema';
import { ResourceRequirements } from '../pod/resources.ts';

export class PersistentVolumeClaimVolumeSource extends t.message('core/v1.PersistentVolumeClaimVolumeSource', {
  claimName: t.string(1).required(),
  readOnly: t.bool(2),
}) {}

export class TypedLocalObjectReference extends t.message(
  'core/v1.TypedLocalObjectReference',
  {
    apiGroup: t.maybe.string(1).always(),
    kind: t.string(2).required(),
    name: t.string(3).required(),
  },
  { isAtomic: true },
) {}

export class PersistentVolumeClaimSpec extends t.message('core/v1.PersistentVolumeClaimSpec', {
  accessModes: t.strings(1),
  selector: t.perhaps(4, LabelSelector),
  resources: t.one(2, ResourceRequirements),
  volumeName: t.string(3),
  storageClassName: t.maybe.string(5),
  volumeMode: t.maybe.string(6).default('Filesystem'),
  dataSource: t.perhaps(7, TypedLocalObjectReference),
  dataSourceRef: t.perhaps(8, TypedLocalObjectReference),
}) {}

export class PersistentVolumeClaimTemplate extends t.message('core/v1.PersistentVolumeClaimTemplate', {
  metadata: t.one(1, ObjectMeta),
  spec: t.one(2, PersistentVolumeClaimSpec).required(),
}) {}

export class EphemeralVolumeSource extends t.message('core/v1.EphemeralVolumeSource', {
  volumeClaimTemplate: t.perhaps(1, PersistentVolumeClaimTemplate),
}) {}
