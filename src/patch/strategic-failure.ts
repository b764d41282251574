import { ApiError, badRequest, goPlain, goTypeOf } from '#errors';

const FORMAT = 'invalid patch format of';

export const badDeletionList = (): ApiError => badRequest(`${FORMAT} $deleteFromPrimitiveList: it must hold a list of scalars`);
export const badRetainKeys = (): ApiError => badRequest(`${FORMAT} $retainKeys: it must list every member the patch sets`);

/** A patch that can be read but not applied; told without its cause, as Kubernetes does. */
export const listOfLists = (): ApiError =>
  new ApiError('Invalid', 'the server rejected our request due to an error in our request', {}, { cause: new Error('lists of lists are not supported') });

/** Answered with 500, as Kubernetes does. */
export const strategicFailure = (message: string): ApiError => new ApiError('', message, undefined, { code: 500 });

/** For `$setElementOrder`, and what it orders. */
export const noList = (value: unknown): ApiError =>
  strategicFailure(`expected a []interface {}, but received a ${value === null ? '%!s(<nil>)' : goTypeOf(value)}`);

export const unknownDirective = (directive: unknown): ApiError =>
  strategicFailure(`unknown patch type: ${typeof directive === 'string' ? directive : JSON.stringify(directive)} in $patch`);

export const noMergeKey = (item: unknown, key: string): ApiError => strategicFailure(`map: ${goPlain(item)} does not contain declared merge key: ${key}`);

export const otherOrder = (name: string): ApiError =>
  strategicFailure(`$setElementOrder/${name} must list every item of the patch, in the patch's order`);
