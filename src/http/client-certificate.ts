import type { Socket } from 'node:net';
import { TLSSocket, type PeerCertificate } from 'node:tls';
import type { ClientCertificate } from '#request';
import type { ClientAuthorities } from './client-authorities.ts';
import type { ConnectionFacts } from './received.ts';

/**
 * The error OpenSSL reports for a chain that ends in a configured certificate which is no root. OpenSSL finds this error before all others and
 * reports the last error it finds: where it reports this one, nothing else is wrong, but it has not checked the validity period of that certificate.
 */
const ENDS_BELOW_A_ROOT = 'UNABLE_TO_GET_ISSUER_CERT';

/** Every configured certificate is a trust anchor, also where it is no root, as in Go. */
function isTrusted(socket: TLSSocket, authorities: ClientAuthorities): boolean {
  if (socket.authorized) return true;
  const certificate = socket.getPeerX509Certificate();
  return authorities.includes(certificate) || (String(socket.authorizationError) === ENDS_BELOW_A_ROOT && authorities.haveValidIssuerOf(certificate));
}

/**
 * Reads the peer's address and certificates, once per connection; all its requests share the result. Without `authorities` the server requested no
 * client certificate.
 */
export function connectionFacts(socket: Socket, authorities: ClientAuthorities | undefined): ConnectionFacts {
  const remote = socket.remoteAddress === undefined ? {} : { remoteAddress: socket.remoteAddress };
  if (authorities === undefined || !(socket instanceof TLSSocket)) return { ...remote, hasBadClientCertificate: false };
  const certificate = socket.getPeerCertificate(false);
  const isPresented = certificate !== null && Object.keys(certificate).length > 0;
  if (!isPresented) return { ...remote, hasBadClientCertificate: false };
  if (!isTrusted(socket, authorities)) return { ...remote, hasBadClientCertificate: true };
  const { asClient, asProxy, isBad } = authorities.trustOf(() => socket.getPeerX509Certificate());
  const identity = identityOf(certificate);
  return {
    ...remote,
    certificateEndsAtMs: Date.parse(certificate.valid_to),
    ...(asClient ? { clientCertificate: identity } : {}),
    ...(asProxy ? { proxyCertificate: identity } : {}),
    hasBadClientCertificate: isBad,
  };
}

/** @spec 5.2 */
function identityOf({ subject }: PeerCertificate): ClientCertificate {
  // Of several CN attributes the last one counts.
  return { commonName: texts(subject.CN).at(-1) ?? '', organizations: texts(subject.O) };
}

function texts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.map(String) : [];
}
