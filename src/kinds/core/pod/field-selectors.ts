import { t } from '#schema';

export class ObjectFieldSelector extends t.message(
  'core/v1.ObjectFieldSelector',
  {
    apiVersion: t.string(1).default('v1'),
    fieldPath: t.string(2).required(),
  },
  { isAtomic: true },
) {}

export class ResourceFieldSelector extends t.message(
  'core/v1.ResourceFieldSelector',
  {
    containerName: t.string(1),
    resource: t.string(2).required(),
    divisor: t.quantity(3),
  },
  { isAtomic: true },
) {}
