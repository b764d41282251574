import { ApiError, noSuchPath } from '#errors';
import type { KindDefinition, Prerequisite, Resource } from '#api';

/** The prerequisite of custom resources: the CustomResourceDefinition that declares them is still the one of its name, and is not being deleted. */
export function declarationPrerequisite(resource: Resource, { group, kind, name, uid }: NonNullable<KindDefinition['declaredBy']>): Prerequisite {
  return {
    kind: { group, kind },
    key: { namespace: '', name },
    check(found) {
      if (found === undefined || found.metadata.uid !== uid) throw noSuchPath();
      if (found.metadata.deletionTimestamp !== undefined) throw definitionTerminating(resource);
    },
  };
}

/** The 405 for creating a custom resource while its CustomResourceDefinition is being deleted. */
export const definitionTerminating = ({ group, plural }: Resource): ApiError =>
  new ApiError('MethodNotAllowed', 'create not allowed while custom resource definition is terminating', { group, kind: plural });
