import { t } from '#schema';

/** A reference to a secret in any namespace. */
export class SecretReference extends t.message(
  'core/v1.SecretReference',
  {
    name: t.string(1),
    namespace: t.string(2),
  },
  { isAtomic: true },
) {}
