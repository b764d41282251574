import { badRequest, notFound, type ApiError } from '#errors';
import { checkPathSegment } from '#api';
import { isKeyComponent, type CollectionPlace } from '#storage';

/** Whether an object of any kind can have this name. */
export const isObjectName = (name: string): boolean => isKeyComponent(name) && !name.includes('%');

/** The error for a name that no object can have: 400 if it cannot be a segment of a path, else 404. */
export function noObjectName(place: CollectionPlace, name: string): ApiError {
  const faults = checkPathSegment(name);
  return faults === undefined ? notFound(place, name) : badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${faults.join(';')}`);
}
