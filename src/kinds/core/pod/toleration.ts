import { t } from '#schema';

export class Toleration extends t.message('core/v1.Toleration', {
  key: t.string(1),
  operator: t.string(2),
  value: t.string(3),
  effect: t.string(4),
  tolerationSeconds: t.maybe.int64(5),
}) {}
