import { ApiError, noSuchPath } from '#errors';
import type { Resource } from '#api';
import type { Stored, WriteHints } from '#storage';
import type { Registry } from './registry.ts';

/**
 * A new object of a kind that is declared by another object is made only while that stands: whoever removes all objects before the declaration goes
 * must not be followed by one that was admitted before, here or by another server on the store.
 */
export function givenDeclaration({ declaration, resource }: Registry): Pick<WriteHints, 'given'> {
  const registry = declaration?.registry();
  if (declaration === undefined || registry === undefined) return {};
  const key = registry.keyOf({ namespace: '', name: declaration.name });
  return {
    given: async (isAgain) => {
      const isStanding = (found: Stored | undefined): found is Stored => found !== undefined && found.object.metadata.deletionTimestamp === undefined;
      // What is known here may be old: then the store refuses it.
      const known = isAgain ? undefined : await registry.objects.get(key, 'any');
      const found = isStanding(known) ? known : await registry.objects.get(key, 'latest');
      if (isStanding(found)) return { key, revision: found.revision };
      throw found === undefined ? noSuchPath() : declarationGoes(resource);
    },
  };
}

/** Nothing is made any more of what is about to be served no longer. */
export const declarationGoes = ({ group, plural }: Resource): ApiError =>
  new ApiError('MethodNotAllowed', 'create not allowed while custom resource definition is terminating', { group, kind: plural });
