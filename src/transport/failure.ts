import { failureText } from '#base';
import { OutsideFailure } from '#errors';

/** Why a call failed without a usable response. */
export type TransportFailureCode =
  /** The kubeconfig, or a file it names, is missing or invalid. */
  | 'configuration'
  /** The connection was refused. */
  | 'refused'
  /** The host name does not resolve, the host is unreachable, or the connection broke. */
  | 'unreachable'
  /** The certificate of one side was rejected by the other. */
  | 'untrusted'
  | 'timeout'
  /** The address must not be called. */
  | 'forbidden-address'
  /** A response with a status other than success. */
  | 'refused-answer'
  /** A response that cannot be parsed. */
  | 'garbage'
  | 'too-large'
  | 'aborted';

/** The failure of every outbound call without a usable response. The message never contains a credential. */
export class TransportFailure extends OutsideFailure {
  override readonly name = 'TransportFailure';
  readonly code: TransportFailureCode;
  /** With `refused-answer`: the status of the response. Do not parse it from the message, parts of which the other server controls. */
  readonly status: number | undefined;
  /** With `refused-answer`: what the response says, as clients of the API know it; undefined: only the message says it. */
  readonly told: string | undefined;

  constructor(code: TransportFailureCode, message: string, { status, told, ...options }: TransportFailureOptions = {}) {
    super(message, options);
    this.code = code;
    this.status = status;
    this.told = told;
  }
}

interface TransportFailureOptions {
  readonly cause?: unknown;
  readonly status?: number;
  readonly told?: string | undefined;
}

const CODES: Readonly<Record<string, TransportFailureCode>> = {
  ECONNREFUSED: 'refused',
  ETIMEDOUT: 'timeout',
  ABORT_ERR: 'aborted',
};

/** Codes of certificate verification errors, by their prefix. */
const CERTIFICATE_CODES = /^(?:CERT_|ERR_TLS_CERT_|SELF_SIGNED_|DEPTH_ZERO_SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)|PATH_LENGTH_|ERR_SSL_)/;

/** The failure for a response that switches protocols unasked. */
export const unasked = (origin: string, status: number): TransportFailure =>
  new TransportFailure('refused-answer', `${origin} answered in a protocol that nobody asked for (status ${status})`, { status });

/** The failure of a call whose signal aborted for this reason. */
export const givenUp = (reason: unknown, origin: string): TransportFailure =>
  reason instanceof Error && reason.name === 'TimeoutError'
    ? new TransportFailure('timeout', `${origin} did not answer in time`, { cause: reason })
    : new TransportFailure('aborted', `the call of ${origin} was given up`, { cause: reason });

/** Converts a network error; `origin` is the server that was called. */
export function failureOf(cause: unknown, origin: string): TransportFailure {
  if (cause instanceof TransportFailure) return cause;
  const systemCode = codeOf(cause);
  const text = failureText(cause);
  if (CERTIFICATE_CODES.test(systemCode)) return new TransportFailure('untrusted', `no trust between this program and ${origin}: ${text}`, { cause });
  const code = CODES[systemCode] ?? 'unreachable';
  return new TransportFailure(code, `cannot reach ${origin}: ${text === '' ? systemCode : text}`, { cause });
}

/** The code of a system error; of an error that bundles one per address, that of the first. */
function codeOf(cause: unknown): string {
  if (cause instanceof AggregateError) return codeOf(cause.errors[0]);
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}
