import { t } from '#schema';

export class LocalObjectReference extends t.message(
  'core/v1.LocalObjectReference',
  {
    name: t.string(1),
  },
  { isAtomic: true },
) {}
