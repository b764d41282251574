import { stringScalar, t } from '#schema';
import { LocalObjectReference } from '../pod/local-object-reference.ts';

export class FlexVolumeSource extends t.message('core/v1.FlexVolumeSource', {
  driver: t.string(1).required(),
  fsType: t.string(2),
  secretRef: t.perhaps(3, LocalObjectReference),
  readOnly: t.bool(4),
  options: t.map(5, stringScalar),
}) {}

export class CSIVolumeSource extends t.message('core/v1.CSIVolumeSource', {
  driver: t.string(1).required(),
  readOnly: t.maybe.bool(2),
  fsType: t.maybe.string(3),
  volumeAttributes: t.map(4, stringScalar),
  nodePublishSecretRef: t.perhaps(5, LocalObjectReference),
}) {}
