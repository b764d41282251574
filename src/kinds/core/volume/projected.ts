import { t } from '#schema';
import { LocalObjectReference } from '../pod/local-object-reference.ts';
import { DownwardAPIVolumeFile } from './content.ts';
import { KeyToPath } from './key-to-path.ts';

export class SecretProjection extends t.message('core/v1.SecretProjection', {
  localObjectReference: t.inline(1, LocalObjectReference),
  items: t.many(2, KeyToPath),
  optional: t.maybe.bool(4),
}) {}

export class ConfigMapProjection extends t.message('core/v1.ConfigMapProjection', {
  localObjectReference: t.inline(1, LocalObjectReference),
  items: t.many(2, KeyToPath),
  optional: t.maybe.bool(4),
}) {}

export class DownwardAPIProjection extends t.message('core/v1.DownwardAPIProjection', {
  items: t.many(1, DownwardAPIVolumeFile),
}) {}

export class ServiceAccountTokenProjection extends t.message('core/v1.ServiceAccountTokenProjection', {
  audience: t.string(1),
  expirationSeconds: t.maybe.int64(2).default(3600),
  path: t.string(3).required(),
}) {}

export class VolumeProjection extends t.message('core/v1.VolumeProjection', {
  secret: t.perhaps(1, SecretProjection),
  downwardAPI: t.perhaps(2, DownwardAPIProjection),
  configMap: t.perhaps(3, ConfigMapProjection),
  serviceAccountToken: t.perhaps(4, ServiceAccountTokenProjection),
}) {}

export class ProjectedVolumeSource extends t.message('core/v1.ProjectedVolumeSource', {
  sources: t.many(1, VolumeProjection).always(),
  defaultMode: t.maybe.int32(2).default(0o644),
}) {}
