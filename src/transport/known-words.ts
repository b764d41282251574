import { failureText } from '#base';
import type { TransportFailure } from './failure.ts';

/** Why a call of `url` got no answer, in the words that clients of kube-apiserver know; undefined: they know none for it. */
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

/** A URL leaves out the port that goes without saying. */
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };
const UNKNOWN_AUTHORITY = /SELF_SIGNED|SIGNATURE_FAILURE|UNABLE_TO_(?:VERIFY|GET_ISSUER)/;

function certificateWords({ cause }: TransportFailure): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (UNKNOWN_AUTHORITY.test(code)) return `certificate signed by unknown authority (${failureText(cause)})`;
  if (code === 'CERT_HAS_EXPIRED') return 'certificate has expired or is not yet valid';
  return failureText(cause);
}
