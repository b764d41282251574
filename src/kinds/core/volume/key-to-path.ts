import { t } from '#schema';

export class KeyToPath extends t.message('core/v1.KeyToPath', {
  key: t.string(1).required(),
  path: t.string(2).required(),
  mode: t.maybe.int32(3),
}) {}
