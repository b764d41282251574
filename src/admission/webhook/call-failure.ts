import { failureText } from '#base';
import { ApiError, OutsideFailure } from '#errors';
import { knownWords, TransportFailure } from '#transport';

/** A webhook could not be called, or its response is invalid. Its failurePolicy decides about the request. */
export class CallFailure extends OutsideFailure {
  override readonly name = 'CallFailure';
  /** The HTTP status code that metrics count for the failure. */
  readonly code: number;

  constructor(message: string, code: number, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** The code that kube-apiserver counts for a call without an HTTP status. */
const NO_CODE = 400;

/** The failure of a call of `url`, worded as clients of kube-apiserver know it where the call itself failed. */
export function explainCall(cause: unknown, url: string): CallFailure {
  if (!(cause instanceof TransportFailure)) return new CallFailure(`failed to call webhook: ${callWords(cause, url)}`, NO_CODE, cause);
  if (cause.code === 'configuration') return new CallFailure(`could not get REST client: ${cause.message}`, NO_CODE, cause);
  return new CallFailure(`failed to call webhook: ${callWords(cause, url)}`, cause.status ?? NO_CODE, cause);
}

/** Why a call of `url` failed: in the wording that clients of kube-apiserver know, or in that of the response. */
export function callWords(cause: unknown, url: string): string {
  if (cause instanceof TransportFailure && cause.told !== undefined) return cause.told;
  const words = cause instanceof TransportFailure ? knownWords(cause, url) : failureText(cause);
  return words === undefined ? failureText(cause) : `Post ${JSON.stringify(url)}: ${words}`;
}

/** The error for a request that a failed webhook blocks: the message that clients know, then help. */
export function asInternalError(message: string, help: string, cause: unknown): ApiError {
  return new ApiError('InternalError', `Internal error occurred: ${message}${help}`, { causes: [{ message }] }, { cause });
}
