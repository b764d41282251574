import { t } from '#schema';

/** A secret of any namespace. */
export class SecretReference extends t.message(
  'core/v1.SecretReference',
  {
    name: t.string(1),
    namespace: t.string(2),
  },
  { isAtomic: true },
) {}
