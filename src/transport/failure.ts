import { failureText } from '#base';
import { OutsideFailure } from '#errors';

/** Why a call never got an answer. */
export type TransportFailureCode =
  /** The kubeconfig, or a file it names, is missing or makes no sense. */
  | 'configuration'
  /** Nobody listens there. */
  | 'refused'
  /** The host is not known or cannot be reached, or the connection broke. */
  | 'unreachable'
  /** One side did not accept the certificate of the other. */
  | 'untrusted'
  | 'timeout'
  /** The address is one that may not be called. */
  | 'forbidden-address'
  /** An answer with a status that is no success. */
  | 'refused-answer'
  /** An answer that cannot be read. */
  | 'garbage'
  | 'too-large'
  | 'aborted';

/** What every outbound call fails with when there is no answer. The message never holds a credential. */
export class TransportFailure extends OutsideFailure {
  override readonly name = 'TransportFailure';
  readonly code: TransportFailureCode;
  /** With `refused-answer`: the status of that answer. Never read it out of the message, where the other side has its say. */
  readonly status: number | undefined;

  constructor(code: TransportFailureCode, message: string, { status, ...options }: { readonly cause?: unknown; readonly status?: number } = {}) {
    super(message, options);
    this.code = code;
    this.status = status;
  }
}

const CODES: Readonly<Record<string, TransportFailureCode>> = {
  ECONNREFUSED: 'refused',
  ETIMEDOUT: 'timeout',
  ABORT_ERR: 'aborted',
};

/** What verification of the other side's certificate fails with, by the start of its code. */
const CERTIFICATE_CODES = /^(?:CERT_|ERR_TLS_CERT_|SELF_SIGNED_|DEPTH_ZERO_SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)|PATH_LENGTH_|ERR_SSL_)/;

/** An answer that would make another protocol of the connection. */
export const unasked = (origin: string, status: number): TransportFailure =>
  new TransportFailure('refused-answer', `${origin} answered in a protocol that nobody asked for (status ${status})`, { status });

/** An error of the network, in our words. `origin` is whom we called. */
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
