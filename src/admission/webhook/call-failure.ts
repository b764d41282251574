import { failureText } from '#base';
import { ApiError, OutsideFailure } from '#errors';
import { knownWords, TransportFailure } from '#transport';

/** A webhook could not be asked, or what it answered is no answer. Its policy says what becomes of the request. */
export class CallFailure extends OutsideFailure {
  override readonly name = 'CallFailure';
  /** What the failure amounts to as an HTTP code, for metrics. */
  readonly code: number;

  constructor(message: string, code: number, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** What kube-apiserver counts a call as that nobody answered with a code. */
const NO_CODE = 400;

/** The words clients of kube-apiserver know, as far as it was the call that failed; `url` is what was called. */
export function explainCall(cause: unknown, url: string): CallFailure {
  if (!(cause instanceof TransportFailure)) return new CallFailure(`failed to call webhook: ${callWords(cause, url)}`, NO_CODE, cause);
  if (cause.code === 'configuration') return new CallFailure(`could not get REST client: ${cause.message}`, NO_CODE, cause);
  return new CallFailure(`failed to call webhook: ${callWords(cause, url)}`, cause.status ?? NO_CODE, cause);
}

/** Why a call of `url` came to nothing: in the words clients of kube-apiserver know, or in those of the answer. */
export function callWords(cause: unknown, url: string): string {
  const words = cause instanceof TransportFailure ? knownWords(cause, url) : failureText(cause);
  return words === undefined ? failureText(cause) : `Post ${JSON.stringify(url)}: ${words}`;
}

/** The answer to a request that a failed webhook stands in the way of: known words first, then help. */
export function asInternalError(message: string, help: string, cause: unknown): ApiError {
  return new ApiError('InternalError', `Internal error occurred: ${message}${help}`, { causes: [{ message }] }, { cause });
}
