import { ApiError, type Cause } from './api-error.ts';

/** A group and a resource (plural), the way messages and details name what a request was about. */
export interface ResourceName {
  readonly group: string;
  readonly resource: string;
}

const qualified = (of: ResourceName): string => (of.group === '' ? of.resource : `${of.resource}.${of.group}`);
const details = (of: ResourceName, name: string): { name?: string; group?: string; kind: string } => ({
  ...(name === '' ? {} : { name }),
  ...(of.group === '' ? {} : { group: of.group }),
  kind: of.resource,
});

export const badRequest = (message: string, cause?: unknown): ApiError => new ApiError('BadRequest', message, undefined, { cause });

export const unauthorized = (): ApiError => new ApiError('Unauthorized', 'Unauthorized');

/** `name` is empty for requests on a collection. */
export const forbidden = (of: ResourceName, name: string, why: string): ApiError =>
  new ApiError(
    'Forbidden',
    name === '' ? `${qualified(of)} is forbidden: ${why}` : `${qualified(of)} ${JSON.stringify(name)} is forbidden: ${why}`,
    { ...(name === '' ? {} : { name }), ...(of.group === '' ? {} : { group: of.group }), kind: of.resource },
  );

export const notFound = (of: ResourceName, name: string): ApiError =>
  new ApiError('NotFound', `${qualified(of)} ${JSON.stringify(name)} not found`, details(of, name));

/** No such path at all. */
export const noSuchPath = (): ApiError => new ApiError('NotFound', 'the server could not find the requested resource', {});

export const methodNotAllowed = (): ApiError =>
  new ApiError('MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

export const notAcceptable = (accepted: readonly string[]): ApiError =>
  new ApiError('NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`);

export const unsupportedMediaType = (accepted: readonly string[]): ApiError =>
  new ApiError(
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );

export const alreadyExists = (of: ResourceName, name: string): ApiError =>
  new ApiError('AlreadyExists', `${qualified(of)} ${JSON.stringify(name)} already exists`, details(of, name));

export const conflict = (of: ResourceName, name: string, why: string): ApiError =>
  new ApiError('Conflict', `Operation cannot be fulfilled on ${qualified(of)} ${JSON.stringify(name)}: ${why}`, details(of, name));

/** The requested version is no longer kept. `cause` words are what clients match on to list again. */
export const expired = (message: string): ApiError => new ApiError('Expired', message);

/** A list whose version is gone; `token` leads to the rest of it, as it is now. */
export const expiredList = (message: string, token: string): ApiError => new ApiError('Expired', message, undefined, { continue: token });

export const gone = (message: string): ApiError => new ApiError('Gone', message);

export const tooLarge = (message: string): ApiError => new ApiError('RequestEntityTooLarge', message);

/** `kind` and `group` name the kind, not the resource: that is what Invalid carries. */
export const invalid = (of: { readonly group: string; readonly kind: string }, name: string, causes: readonly Cause[]): ApiError => {
  const what = of.group === '' ? of.kind : `${of.kind}.${of.group}`;
  // Each is said once, however many causes it stands in.
  const texts = [...new Set(causes.map((cause) => `${cause.field === undefined ? '' : `${cause.field}: `}${cause.message ?? ''}`))];
  const all = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  return new ApiError('Invalid', `${what} ${JSON.stringify(name)} is invalid: ${all}`, {
    ...(name === '' ? {} : { name }),
    ...(of.group === '' ? {} : { group: of.group }),
    ...(of.kind === '' ? {} : { kind: of.kind }),
    causes,
  });
};

export const tooManyRequests = (message: string, retryAfterSeconds: number): ApiError =>
  new ApiError('TooManyRequests', message, { retryAfterSeconds });

/** The text of an unknown failure never leaves the process; the cause is for the log. */
export const internalError = (message: string, cause?: unknown): ApiError =>
  new ApiError('InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] }, { cause });

export const serviceUnavailable = (message: string, cause?: unknown): ApiError =>
  new ApiError('ServiceUnavailable', message, undefined, { cause });

/** The version asked for did not arrive in time; `why` names it and the newest there is. */
export const tooLargeResourceVersion = (why: string): ApiError =>
  new ApiError('Timeout', `Too large resource version: ${why}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });

export const timeout = (message: string, retryAfterSeconds: number): ApiError => new ApiError('Timeout', message, { retryAfterSeconds });
