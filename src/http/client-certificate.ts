import type { Socket } from 'node:net';
import { TLSSocket, type PeerCertificate } from 'node:tls';
import type { ClientCertificate } from '#request';
import type { ClientAuthorities } from './client-authorities.ts';
import type { ConnectionFacts } from './received.ts';

/**
 * What OpenSSL says of a chain that ends in a configured certificate which is no root. It finds this fault before all others and keeps the last one
 * that it finds: where it says so, nothing else is wrong, but it has not looked at the life of that certificate.
 */
const ENDS_BELOW_A_ROOT = 'UNABLE_TO_GET_ISSUER_CERT';

/** Each certificate that somebody configured is trusted as it stands, as Go does. */
function isVouchedFor(socket: TLSSocket, authorities: ClientAuthorities): boolean {
  if (socket.authorized) return true;
  const certificate = socket.getPeerX509Certificate();
  return authorities.hold(certificate) || (String(socket.authorizationError) === ENDS_BELOW_A_ROOT && authorities.haveLivingIssuerOf(certificate));
}

/**
 * Reads once per connection who is at the other end; requests of the connection share the answer. Without `authorities` nobody was asked for
 * a certificate.
 */
export function connectionFacts(socket: Socket, authorities: ClientAuthorities | undefined): ConnectionFacts {
  const remote = socket.remoteAddress === undefined ? {} : { remoteAddress: socket.remoteAddress };
  if (authorities === undefined || !(socket instanceof TLSSocket)) return { ...remote, hasBadClientCertificate: false };
  const certificate = socket.getPeerCertificate(false);
  const isPresented = certificate !== null && Object.keys(certificate).length > 0;
  if (!isPresented) return { ...remote, hasBadClientCertificate: false };
  if (!isVouchedFor(socket, authorities)) return { ...remote, hasBadClientCertificate: true };
  const { asClient, asProxy, isBad } = authorities.vouchingFor(() => socket.getPeerX509Certificate());
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
  // A repeated CN counts with its last value.
  return { commonName: texts(subject.CN).at(-1) ?? '', organizations: texts(subject.O) };
}

function texts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.map(String) : [];
}
