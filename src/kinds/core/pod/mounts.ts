import { t } from '#schema';

export class VolumeMount extends t.message('core/v1.VolumeMount', {
  name: t.string(1).required(),
  readOnly: t.bool(2),
  mountPath: t.string(3).required(),
  subPath: t.string(4),
  mountPropagation: t.maybe.string(5),
  subPathExpr: t.string(6),
}) {}

export class VolumeDevice extends t.message('core/v1.VolumeDevice', {
  name: t.string(1).required(),
  devicePath: t.string(2).required(),
}) {}
