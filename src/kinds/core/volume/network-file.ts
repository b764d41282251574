import { t } from '#schema';
import { LocalObjectReference } from '../pod/local-object-reference.ts';

export class NFSVolumeSource extends t.message('core/v1.NFSVolumeSource', {
  server: t.string(1).required(),
  path: t.string(2).required(),
  readOnly: t.bool(3),
}) {}

export class GlusterfsVolumeSource extends t.message('core/v1.GlusterfsVolumeSource', {
  endpoints: t.string(1).required(),
  path: t.string(2).required(),
  readOnly: t.bool(3),
}) {}

export class CephFSVolumeSource extends t.message('core/v1.CephFSVolumeSource', {
  monitors: t.strings(1).required(),
  path: t.string(2),
  user: t.string(3),
  secretFile: t.string(4),
  secretRef: t.perhaps(5, LocalObjectReference),
  readOnly: t.bool(6),
}) {}

export class QuobyteVolumeSource extends t.message('core/v1.QuobyteVolumeSource', {
  registry: t.string(1).required(),
  volume: t.string(2).required(),
  readOnly: t.bool(3),
  user: t.string(4),
  group: t.string(5),
  tenant: t.string(6),
}) {}

export class FlockerVolumeSource extends t.message('core/v1.FlockerVolumeSource', {
  datasetName: t.string(1),
  datasetUUID: t.string(2),
}) {}
