import { t } from '#schema';

/** A reference to an object, or to a part of one. */
export class ObjectReference extends t.message(
  'core/v1.ObjectReference',
  {
    kind: t.string(1),
    namespace: t.string(2),
    name: t.string(3),
    uid: t.string(4),
    apiVersion: t.string(5),
    resourceVersion: t.string(6),
    fieldPath: t.string(7),
  },
  { isAtomic: true },
) {}
