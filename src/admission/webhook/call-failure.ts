import { ApiError, OutsideFailure } from '#errors';
import { TransportFailure } from '#transport';

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

/** The words clients of kube-apiserver know, as far as it was the call that failed; `url` is what was called. */
export function explainCall(cause: unknown, url: string): CallFailure {
  if (!(cause instanceof TransportFailure)) return new CallFailure(`failed to call webhook: Post ${JSON.stringify(url)}: ${textOf(cause)}`, 503, cause);
  if (cause.code === 'configuration') return new CallFailure(`could not get REST client: ${cause.message}`, 500, cause);
  const words = knownWords(cause, url);
  return new CallFailure(`failed to call webhook: ${words === undefined ? cause.message : `Post ${JSON.stringify(url)}: ${words}`}`, 503, cause);
}

function knownWords(failure: TransportFailure, url: string): string | undefined {
  const { hostname, port } = new URL(url);
  switch (failure.code) {
    case 'refused':
      return `dial tcp ${hostname}:${port === '' ? '443' : port}: connect: connection refused`;
    case 'timeout':
      return 'context deadline exceeded';
    case 'aborted':
      return 'context canceled';
    case 'untrusted':
      return `x509: ${certificateWords(failure)}`;
    case 'unreachable':
      return failure.message;
    default:
      return undefined;
  }
}

const UNKNOWN_AUTHORITY = /SELF_SIGNED|SIGNATURE_FAILURE|UNABLE_TO_(?:VERIFY|GET_ISSUER)/;

function certificateWords(failure: TransportFailure): string {
  const { cause } = failure;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (UNKNOWN_AUTHORITY.test(code)) return `certificate signed by unknown authority (${textOf(cause)})`;
  if (code === 'CERT_HAS_EXPIRED') return 'certificate has expired or is not yet valid';
  return textOf(cause);
}

const textOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

/** The answer to a request that a failed webhook stands in the way of: known words first, then help. */
export function asInternalError(message: string, help: string, cause: unknown): ApiError {
  return new ApiError('InternalError', `Internal error occurred: ${message}${help}`, { causes: [{ message }] }, { cause });
}
