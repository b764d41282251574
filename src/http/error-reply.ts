import { ApiError, internalError, OutsideFailure, type Status } from '#errors';
import { failureStack, failureText, type Log } from '#base';
import type { Received, Reply } from '#request';
import { isAbandoned } from './received.ts';

/** Encodes a Status in the media type that the request accepts. */
export type EncodeStatus = (status: Status, received: Received) => { readonly contentType: string; readonly body: Uint8Array };

export interface ErrorReplyOptions {
  readonly log: Log;
  /** Default: always JSON. */
  readonly encode?: EncodeStatus;
}

const encoder = new TextEncoder();

const encodeAsJson: EncodeStatus = (status) => ({
  contentType: 'application/json',
  body: encoder.encode(`${JSON.stringify(status)}\n`),
});

/**
 * The response to anything that was thrown. An `ApiError` becomes its own Status; anything else becomes a 500 that names only the request, and its
 * text and stack go to the log. Never throws.
 * @spec 7
 */
export function errorReply(thrown: unknown, received: Received, { log, encode = encodeAsJson }: ErrorReplyOptions): Reply {
  const failure = toApiError(thrown, received, log);
  const { contentType, body } = encodeSafely(failure.toStatus(), received, encode, log);
  const retryAfterSeconds = failure.details?.retryAfterSeconds ?? 0;
  return {
    status: httpCode(failure.code),
    headers: { 'content-type': contentType, ...(retryAfterSeconds > 0 ? { 'retry-after': String(Math.ceil(retryAfterSeconds)) } : {}) },
    body,
  };
}

function toApiError(thrown: unknown, received: Received, log: Log): ApiError {
  if (thrown instanceof ApiError) {
    // Overload is reported where it is noticed. Why a back end cannot be reached nobody else may say: the request gets one info line, without a stack.
    if (thrown.reason === 'ServiceUnavailable') log.info('a request could not be served just now', { id: received.id, why: thrown.message, ...causeOf(thrown) });
    // Where the cause is itself an `ApiError`, the request caused it: nothing to log.
    else if (thrown.code >= 500 && thrown.cause !== undefined && !(thrown.cause instanceof ApiError)) reportCause(thrown, received, log);
    return thrown;
  }
  report(thrown, received, log);
  return internalError(`unexpected failure while handling request ${received.id}`);
}

/** What is behind a failure, which its client is not told. */
const causeOf = ({ cause }: ApiError): { readonly cause?: string } => (cause === undefined ? {} : { cause: failureText(cause) });

function reportCause({ cause, message }: ApiError, received: Received, log: Log): void {
  if (!(cause instanceof OutsideFailure)) return report(cause, received, log, message);
  log.warn('a request failed at somebody whom the server asked', { id: received.id, method: received.method, path: received.path, why: message });
}

function report(thrown: unknown, received: Received, log: Log, why?: string): void {
  // Work that stops because its client disconnected is no failure.
  if (isAbandoned(received)) return;
  const { id, method, path } = received;
  log.error('request failed unexpectedly', { id, method, path, ...(why === undefined ? {} : { why }), error: failureStack(thrown) });
}

function encodeSafely(status: Status, received: Received, encode: EncodeStatus, log: Log): ReturnType<EncodeStatus> {
  try {
    return encode(status, received);
  } catch (failure) {
    report(failure, received, log);
    return encodeAsJson(status, received);
  }
}

/** Admission webhooks choose the code of their denials: it may be no HTTP status at all. */
const httpCode = (code: number): number => (Number.isInteger(code) && code >= 200 && code <= 599 ? code : 500);
