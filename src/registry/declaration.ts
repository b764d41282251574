import { ApiError, noSuchPath } from '#errors';
import type { Condition, KindDefinition, Resource } from '#api';

/** For kinds that an object declares: objects are made only while that stands. */
export function declarationStands(resource: Resource, { group, kind, name }: NonNullable<KindDefinition['declaredBy']>): Condition {
  return {
    kind: { group, kind },
    key: { namespace: '', name },
    check(found) {
      if (found === undefined) throw noSuchPath();
      if (found.metadata.deletionTimestamp !== undefined) throw declarationGoes(resource);
    },
  };
}

/** Nothing is made any more of what is about to be served no longer. */
export const declarationGoes = ({ group, plural }: Resource): ApiError =>
  new ApiError('MethodNotAllowed', 'create not allowed while custom resource definition is terminating', { group, kind: plural });
