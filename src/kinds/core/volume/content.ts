import { t } from '#schema';
import { ObjectFieldSelector, ResourceFieldSelector } from '../pod/field-selectors.ts';
import { LocalObjectReference } from '../pod/local-object-reference.ts';
import { KeyToPath } from './key-to-path.ts';

export class SecretVolumeSource extends t.message('core/v1.SecretVolumeSource', {
  secretName: t.string(1),
  items: t.many(2, KeyToPath),
  defaultMode: t.maybe.int32(3).default(0o644),
  optional: t.maybe.bool(4),
}) {}

export class ConfigMapVolumeSource extends t.message('core/v1.ConfigMapVolumeSource', {
  localObjectReference: t.inline(1, LocalObjectReference),
  items: t.many(2, KeyToPath),
  defaultMode: t.maybe.int32(3).default(0o644),
  optional: t.maybe.bool(4),
}) {}

export class DownwardAPIVolumeFile extends t.message('core/v1.DownwardAPIVolumeFile', {
  path: t.string(1).required(),
  fieldRef: t.perhaps(2, ObjectFieldSelector),
  resourceFieldRef: t.perhaps(3, ResourceFieldSelector),
  mode: t.maybe.int32(4),
}) {}

export class DownwardAPIVolumeSource extends t.message('core/v1.DownwardAPIVolumeSource', {
  items: t.many(1, DownwardAPIVolumeFile),
  defaultMode: t.maybe.int32(2).default(0o644),
}) {}
