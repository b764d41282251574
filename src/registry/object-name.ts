import { badRequest, notFound, type ApiError } from '#errors';
import { checkPathSegment } from '#api';
import { isKeyComponent, type CollectionPlace } from '#storage';

/** Whether an object can have this name at all, whatever its kind. */
export const isObjectName = (name: string): boolean => isKeyComponent(name) && !name.includes('%');

/** What to say of a name that is none: some cannot even stand in a path. */
export function noObjectName(place: CollectionPlace, name: string): ApiError {
  const faults = checkPathSegment(name);
  return faults === undefined ? notFound(place, name) : badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${faults.join(';')}`);
}
