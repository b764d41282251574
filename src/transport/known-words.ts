import { failureText } from '#base';
import type { TransportFailure } from './failure.ts';

/** The message that kube-apiserver (Go's HTTP client) gives for this failure of a call of `url`; undefined: it has none. */
export function knownWords(failure: TransportFailure, url: string): string | undefined {
  const { protocol, hostname, port } = new URL(url);
  switch (failure.code) {
    case 'refused':
      return `dial tcp ${hostname}:${port === '' ? DEFAULT_PORTS[protocol] : port}: connect: connection refused`;
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

/** Ports that a URL omits. */
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };
const UNKNOWN_AUTHORITY = /SELF_SIGNED|SIGNATURE_FAILURE|UNABLE_TO_(?:VERIFY|GET_ISSUER)/;

function certificateWords({ cause }: TransportFailure): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (UNKNOWN_AUTHORITY.test(code)) return `certificate signed by unknown authority (${failureText(cause)})`;
  if (code === 'CERT_HAS_EXPIRED') return 'certificate has expired or is not yet valid';
  return failureText(cause);
}
