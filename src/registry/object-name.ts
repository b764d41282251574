import { notFound, type ApiError } from '#errors';
import { nameParameterFailure } from '#api';
import { isKeyComponent, type CollectionPlace } from '#storage';

/** Whether an object of any kind can have this name. */
export const isObjectName = (name: string): boolean => isKeyComponent(name) && !name.includes('%');

/** The error for a name that no object can have: 400 if it cannot be a segment of a path, else 404. */
export function noObjectName(place: CollectionPlace, name: string): ApiError {
  return nameParameterFailure(name) ?? notFound(place, name);
}
