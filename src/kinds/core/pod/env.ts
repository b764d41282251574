import { t } from '#schema';
import { ObjectFieldSelector, ResourceFieldSelector } from './field-selectors.ts';
import { LocalObjectReference } from './local-object-reference.ts';

export class ConfigMapEnvSource extends t.message('core/v1.ConfigMapEnvSource', {
  localObjectReference: t.inline(1, LocalObjectReference),
  optional: t.maybe.bool(2),
}) {}

export class SecretEnvSource extends t.message('core/v1.SecretEnvSource', {
  localObjectReference: t.inline(1, LocalObjectReference),
  optional: t.maybe.bool(2),
}) {}

export class EnvFromSource extends t.message('core/v1.EnvFromSource', {
  prefix: t.string(1),
  configMapRef: t.perhaps(2, ConfigMapEnvSource),
  secretRef: t.perhaps(3, SecretEnvSource),
}) {}

export class ConfigMapKeySelector extends t.message(
  'core/v1.ConfigMapKeySelector',
  {
    localObjectReference: t.inline(1, LocalObjectReference),
    key: t.string(2).required(),
    optional: t.maybe.bool(3),
  },
  { isAtomic: true },
) {}

export class SecretKeySelector extends t.message(
  'core/v1.SecretKeySelector',
  {
    localObjectReference: t.inline(1, LocalObjectReference),
    key: t.string(2).required(),
    optional: t.maybe.bool(3),
  },
  { isAtomic: true },
) {}

export class EnvVarSource extends t.message('core/v1.EnvVarSource', {
  fieldRef: t.perhaps(1, ObjectFieldSelector),
  resourceFieldRef: t.perhaps(2, ResourceFieldSelector),
  configMapKeyRef: t.perhaps(3, ConfigMapKeySelector),
  secretKeyRef: t.perhaps(4, SecretKeySelector),
}) {}

export class EnvVar extends t.message('core/v1.EnvVar', {
  name: t.string(1).required(),
  value: t.string(2),
  valueFrom: t.perhaps(3, EnvVarSource),
}) {}
