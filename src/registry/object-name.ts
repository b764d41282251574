import { FieldErrors, notFound, type ApiError } from '#errors';
import { nameParameterFailure, type Resource } from '#api';
import { isKeyComponent, MAX_COMPONENT_BYTES, type CollectionPlace } from '#storage';
import { invalidObject } from './invalid-object.ts';

/** Whether an object of any kind can have this name. */
export const isObjectName = (name: string): boolean => isKeyComponent(name) && !name.includes('%');

/** The error for a name that no object can have: 400 if it cannot be a segment of a path, else 404. */
export function noObjectName(place: CollectionPlace, name: string): ApiError {
  return nameParameterFailure(name) ?? notFound(place, name);
}

/** The error for a new object with a name that its kind takes and no store: kinds that take any segment of a path have no bound of their own. */
export function noStorableName(resource: Resource, name: string): ApiError {
  const at = new FieldErrors();
  at.child('metadata').child('name').invalid(name, `must be no more than ${MAX_COMPONENT_BYTES} bytes, without control characters`);
  return invalidObject(resource, name, at.causes);
}
