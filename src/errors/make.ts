import { ApiError, type Cause, type ErrorDetails } from './api-error.ts';
import { goQuoted } from './go-value.ts';
import { inOneMessage } from './in-one-message.ts';

/** A group and a resource (plural), as error messages and details name the target of a request. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** A resource or a kind without its version, as messages name it: `pods`, `deployments.apps`. */
export const nameInGroup = (name: string, group: string): string => (group === '' ? name : `${name}.${group}`);

const qualified = (of: GroupResource): string => nameInGroup(of.resource, of.group);
const details = (of: GroupResource, name: string): ErrorDetails => ({
  ...(name === '' ? {} : { name }),
  ...(of.group === '' ? {} : { group: of.group }),
  ...(of.resource === '' ? {} : { kind: of.resource }),
});

/** 400. `message` says what the client has to change. */
export const badRequest = (message: string, cause?: unknown): ApiError => new ApiError('BadRequest', message, undefined, { cause });

/** 401. Does not say why: an attacker who guesses credentials must not learn from the response. `why` becomes the cause, for the log. */
export const unauthorized = (why?: string): ApiError => new ApiError('Unauthorized', 'Unauthorized', undefined, why === undefined ? undefined : { cause: why });

/** 403. `name` is empty for requests on a collection. */
export const forbidden = (of: GroupResource, name: string, why: string): ApiError =>
  new ApiError('Forbidden', `${what(of, name)}forbidden: ${why}`, details(of, name));

/** The target of a request for a message; empty for a path without a resource. */
function what(of: GroupResource, name: string): string {
  if (of.group === '' && of.resource === '') return '';
  return name === '' ? `${qualified(of)} is ` : `${qualified(of)} ${goQuoted(name)} is `;
}

/** 404: the resource is served, but the object does not exist. */
export const notFound = (of: GroupResource, name: string): ApiError =>
  new ApiError('NotFound', `${qualified(of)} ${goQuoted(name)} not found`, details(of, name));

/** 404: the path itself is not served. */
export const noSuchPath = (): ApiError => new ApiError('NotFound', 'the server could not find the requested resource', {});

/** 405: the resource is served, but not for this verb. */
export const methodNotAllowed = (): ApiError =>
  new ApiError('MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

/** 406. `accepted`: the media types in which the response is available. */
export const notAcceptable = (accepted: readonly string[]): ApiError =>
  new ApiError('NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`);

/** 415. `accepted`: the media types that the request body may have. */
export const unsupportedMediaType = (accepted: readonly string[]): ApiError =>
  new ApiError(
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );

/** 409: an object of this name exists already. */
export const alreadyExists = (of: GroupResource, name: string): ApiError =>
  new ApiError('AlreadyExists', `${qualified(of)} ${goQuoted(name)} already exists`, details(of, name));

/** 409: the live object is not in the state that the request expects; `why` says how. */
export const conflict = (of: GroupResource, name: string, why: string): ApiError =>
  new ApiError('Conflict', `Operation cannot be fulfilled on ${qualified(of)} ${goQuoted(name)}: ${why}`, details(of, name));

/** Why a `conflict`: a precondition does not hold, in the words of kube-apiserver's storage. `found`: empty where the object has none. */
export const preconditionFailed = (member: 'UID' | 'ResourceVersion', wanted: string, found: string): string =>
  `Precondition failed: ${member} in precondition: ${wanted}, ${member} in object meta: ${found}`;

/**
 * 410: the requested resourceVersion was compacted; `why` names it and the oldest one. Clients then list again: some by the first words of the message,
 * which are those of kube-apiserver.
 */
export const expired = (why: string): ApiError => new ApiError('Expired', `too old resource version: ${why}`);

/** 410: the revision of a continue token was compacted; `token` continues the list at the newest revision. */
export const expiredList = (message: string, token: string): ApiError => new ApiError('Expired', message, undefined, { continue: token });

/** 410: the requested function is no longer served. Unlike after `expired`, listing again does not help. */
export const gone = (message: string): ApiError => new ApiError('Gone', message);

/** 413: the request or the object is too large. */
export const tooLarge = (message: string): ApiError => new ApiError('RequestEntityTooLarge', message);

/** 422: validation failed. By API convention `of` names the kind, not the resource. */
export const invalid = (of: { readonly group: string; readonly kind: string }, name: string, causes: readonly Cause[]): ApiError => {
  // Equal messages of several causes are shown once.
  const texts = [...new Set(causes.map((cause) => `${cause.field === undefined ? '' : `${cause.field}: `}${cause.message ?? ''}`))];
  return new ApiError('Invalid', `${nameInGroup(of.kind, of.group)} ${goQuoted(name)} is invalid: ${inOneMessage(texts)}`, {
    ...(name === '' ? {} : { name }),
    ...(of.group === '' ? {} : { group: of.group }),
    ...(of.kind === '' ? {} : { kind: of.kind }),
    causes,
  });
};

/** 429, with the number of seconds after which the client may retry. */
export const tooManyRequests = (message: string, retryAfterSeconds: number): ApiError =>
  new ApiError('TooManyRequests', message, { retryAfterSeconds });

/** 500. `message` is sent to the client, so it must not be the text of an unknown error: pass that as `cause`, for the log. */
export const internalError = (message: string, cause?: unknown): ApiError =>
  new ApiError('InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] }, { cause });

/** 500 without a reason, as kube-apiserver sends for errors that are only a text; often they are mistakes of the client. `cause` is for the log. */
export const withoutReason = (message: string, cause?: unknown): ApiError => new ApiError('', message, undefined, { cause });

/** 503: a component is unavailable; `cause` is for the log. */
export const serviceUnavailable = (message: string, cause?: unknown): ApiError =>
  new ApiError('ServiceUnavailable', message, undefined, { cause });

/** 504: the requested resourceVersion was not reached in time; `why` names it and the newest one. */
export const tooLargeResourceVersion = (why: string): ApiError =>
  new ApiError('Timeout', `Too large resource version: ${why}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });

/** 504: the request was not completed in time. The client may retry after so many seconds. */
export const timeout = (message: string, retryAfterSeconds: number): ApiError => new ApiError('Timeout', message, { retryAfterSeconds });
