import { isIP } from 'node:net';
import type { PeerCertificate } from 'node:tls';
import { failureText, hostAndPort } from '#base';
import type { TransportFailure } from './failure.ts';

/** The message that kube-apiserver (Go's HTTP client) gives for this failure of a call of `url`; undefined: it has none. */
export function knownWords(failure: TransportFailure, url: string): string | undefined {
  const fault = faultOf(failure.cause);
  if (NO_TLS.test(failureText(failure.cause))) return 'http: server gave HTTP response to HTTPS client';
  switch (failure.code) {
    case 'refused':
      return `dial tcp ${addressOf(fault, url)}: connect: connection refused`;
    case 'timeout':
      return 'context deadline exceeded';
    case 'aborted':
      return 'context canceled';
    case 'untrusted':
      return `x509: ${certificateWords(fault)}`;
    case 'unreachable':
      return unreachableWords(fault, url) ?? failure.message;
    default:
      return undefined;
  }
}

/** What Node says of a failure: members of system errors, and of those about certificates. */
interface Fault {
  readonly code?: string;
  readonly syscall?: string;
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
  readonly host?: string;
  readonly cert?: PeerCertificate;
  readonly message: string;
}

/** Of an error that bundles one per address, the first. */
function faultOf(cause: unknown): Fault {
  if (cause instanceof AggregateError && cause.errors.length > 0) return faultOf(cause.errors[0]);
  return cause instanceof Error ? cause : { message: failureText(cause) };
}

const NO_TLS = /wrong version number/;

/** Ports that a URL omits. */
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** The address that was called where it is known, else that of the URL. */
function addressOf({ address, port }: Fault, url: string): string {
  if (address !== undefined && port !== undefined) return hostAndPort(address, port);
  const { protocol, hostname, port: given } = new URL(url);
  return `${hostname}:${given === '' ? DEFAULT_PORTS[protocol] : given}`;
}

const NO_WAY: Readonly<Record<string, string>> = { EHOSTUNREACH: 'no route to host', ENETUNREACH: 'network is unreachable' };

function unreachableWords(fault: Fault, url: string): string | undefined {
  const { code = '', syscall, hostname } = fault;
  if (code === 'ENOTFOUND') return `dial tcp: lookup ${hostname ?? new URL(url).hostname}: no such host`;
  // Without a system call it was the end of the connection.
  if (code === 'ECONNRESET') return syscall === undefined ? 'EOF' : 'read: connection reset by peer';
  return NO_WAY[code] === undefined ? undefined : `dial tcp ${addressOf(fault, url)}: connect: ${NO_WAY[code]}`;
}

const UNKNOWN_AUTHORITY = /SELF_SIGNED|SIGNATURE_FAILURE|UNABLE_TO_(?:VERIFY|GET_ISSUER)/;
const WRONG_TIME: ReadonlySet<string> = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);

function certificateWords({ code = '', host, cert, message }: Fault): string {
  if (UNKNOWN_AUTHORITY.test(code)) return `certificate signed by unknown authority (${message})`;
  if (WRONG_TIME.has(code)) return 'certificate has expired or is not yet valid';
  return code === 'ERR_TLS_CERT_ALTNAME_INVALID' && host !== undefined && cert !== undefined ? nameWords(host, cert) : message;
}

function nameWords(host: string, { subjectaltname = '', subject }: PeerCertificate): string {
  const kind = isIP(host) === 0 ? 'DNS:' : 'IP Address:';
  const names = subjectaltname.split(', ').flatMap((name) => (name.startsWith(kind) ? [name.slice(kind.length)] : []));
  if (names.length > 0) return `certificate is valid for ${names.join(', ')}, not ${host}`;
  if (isIP(host) !== 0) return `cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
  const isCommonName = subjectaltname === '' && String(subject.CN).toLowerCase() === host.toLowerCase();
  return isCommonName ? 'certificate relies on legacy Common Name field, use SANs instead' : `certificate is not valid for any names, but wanted to match ${host}`;
}
