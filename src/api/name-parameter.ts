import { badRequest, type ApiError } from '#errors';
import { checkPathSegment } from './names.ts';

/** Why nobody can ask for an object of this name: it is no segment of a path. Undefined: one can, whether it is there or not. */
export function nameParameterFailure(name: string): ApiError | undefined {
  if (name === '') return badRequest('Name parameter required.');
  const faults = checkPathSegment(name);
  return faults && badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${faults.join(';')}`);
}
