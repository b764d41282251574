import { ApiError, type Cause, type ErrorDetails } from './api-error.ts';
import { goQuoted } from './go-value.ts';
import { inOneMessage } from './in-one-message.ts';

/** A group and a resource (plural), the way messages and details name what a request was about. */
export interface ResourceName {
  readonly group: string;
  readonly resource: string;
}

/** A resource or a kind, whatever its version, as messages name it: `pods`, `deployments.apps`. */
export const nameInGroup = (name: string, group: string): string => (group === '' ? name : `${name}.${group}`);

const qualified = (of: ResourceName): string => nameInGroup(of.resource, of.group);
const details = (of: ResourceName, name: string): ErrorDetails => ({
  ...(name === '' ? {} : { name }),
  ...(of.group === '' ? {} : { group: of.group }),
  ...(of.resource === '' ? {} : { kind: of.resource }),
});

/** 400. `message` says what the caller has to change. */
export const badRequest = (message: string, cause?: unknown): ApiError => new ApiError('BadRequest', message, undefined, { cause });

/** 401. Says nothing of why: whoever guesses credentials must not learn from the answer. */
export const unauthorized = (): ApiError => new ApiError('Unauthorized', 'Unauthorized');

/** 403. `name` is empty for requests on a collection. */
export const forbidden = (of: ResourceName, name: string, why: string): ApiError =>
  new ApiError('Forbidden', `${what(of, name)}forbidden: ${why}`, details(of, name));

/** Empty where a path leads to no resource at all: an empty part stands where it should be. */
function what(of: ResourceName, name: string): string {
  if (of.group === '' && of.resource === '') return '';
  return name === '' ? `${qualified(of)} is ` : `${qualified(of)} ${goQuoted(name)} is `;
}

/** 404: the resource is served, and has no such object. */
export const notFound = (of: ResourceName, name: string): ApiError =>
  new ApiError('NotFound', `${qualified(of)} ${goQuoted(name)} not found`, details(of, name));

/** 404: there is no such path at all. */
export const noSuchPath = (): ApiError => new ApiError('NotFound', 'the server could not find the requested resource', {});

/** 405: the resource is served, but not for this verb. */
export const methodNotAllowed = (): ApiError =>
  new ApiError('MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

/** 406. `accepted`: the media types that there are. */
export const notAcceptable = (accepted: readonly string[]): ApiError =>
  new ApiError('NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`);

/** 415. `accepted`: the media types that a body may have. */
export const unsupportedMediaType = (accepted: readonly string[]): ApiError =>
  new ApiError(
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );

/** 409: an object of this name is there. */
export const alreadyExists = (of: ResourceName, name: string): ApiError =>
  new ApiError('AlreadyExists', `${qualified(of)} ${goQuoted(name)} already exists`, details(of, name));

/** 409: the object is not, or no longer, as the request takes it to be; `why` says in what. */
export const conflict = (of: ResourceName, name: string, why: string): ApiError =>
  new ApiError('Conflict', `Operation cannot be fulfilled on ${qualified(of)} ${goQuoted(name)}: ${why}`, details(of, name));

/** 410: the requested version is no longer kept. Clients that are told so list again; some look for the words of `message`. */
export const expired = (message: string): ApiError => new ApiError('Expired', message);

/** 410: a list whose version is gone; `token` leads to the rest of it, as it is now. */
export const expiredList = (message: string, token: string): ApiError => new ApiError('Expired', message, undefined, { continue: token });

/** 410: what was asked for is not served any more. Nobody gets further by listing again, unlike after `expired`. */
export const gone = (message: string): ApiError => new ApiError('Gone', message);

/** 413. */
export const tooLarge = (message: string): ApiError => new ApiError('RequestEntityTooLarge', message);

/** 422. `of` names the kind, not the resource: that is what Invalid carries. */
export const invalid = (of: { readonly group: string; readonly kind: string }, name: string, causes: readonly Cause[]): ApiError => {
  // Each is said once, however many causes it stands in.
  const texts = [...new Set(causes.map((cause) => `${cause.field === undefined ? '' : `${cause.field}: `}${cause.message ?? ''}`))];
  return new ApiError('Invalid', `${nameInGroup(of.kind, of.group)} ${goQuoted(name)} is invalid: ${inOneMessage(texts)}`, {
    ...(name === '' ? {} : { name }),
    ...(of.group === '' ? {} : { group: of.group }),
    ...(of.kind === '' ? {} : { kind: of.kind }),
    causes,
  });
};

/** 429, with the seconds after which the caller may come again. */
export const tooManyRequests = (message: string, retryAfterSeconds: number): ApiError =>
  new ApiError('TooManyRequests', message, { retryAfterSeconds });

/** 500. Clients read `message`: it must not be the text of an unknown failure, which goes into the log as `cause`. */
export const internalError = (message: string, cause?: unknown): ApiError =>
  new ApiError('InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] }, { cause });

/** 500 without a reason, as kube-apiserver answers where a failure is nothing but its words; often it is the mistake of the caller. `cause` is for the log. */
export const withoutReason = (message: string, cause?: unknown): ApiError => new ApiError('', message, undefined, { cause });

/** 503; `cause` is for the log. */
export const serviceUnavailable = (message: string, cause?: unknown): ApiError =>
  new ApiError('ServiceUnavailable', message, undefined, { cause });

/** 504: the version asked for did not arrive in time; `why` names it and the newest there is. */
export const tooLargeResourceVersion = (why: string): ApiError =>
  new ApiError('Timeout', `Too large resource version: ${why}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });

/** 504: not done in time. The caller may come again after so many seconds. */
export const timeout = (message: string, retryAfterSeconds: number): ApiError => new ApiError('Timeout', message, { retryAfterSeconds });
