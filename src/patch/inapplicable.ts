import { ApiError } from '#errors';

/** A patch that can be read but not applied: told without its cause, as Kubernetes does. */
export const inapplicable = (cause: Error): ApiError => new ApiError('Invalid', 'the server rejected our request due to an error in our request', {}, { cause });
