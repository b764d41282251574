import type { Socket } from 'node:net';
import { TLSSocket, type PeerCertificate } from 'node:tls';
import type { ClientCertificate } from '#request';
import type { ConnectionFacts } from './received.ts';

/** Reads once per connection who is at the other end; requests of the connection share the answer. */
export function connectionFacts(socket: Socket, asksForCertificate: boolean): ConnectionFacts {
  const remote = socket.remoteAddress === undefined ? {} : { remoteAddress: socket.remoteAddress };
  if (!asksForCertificate || !(socket instanceof TLSSocket)) return { ...remote, hasBadClientCertificate: false };
  const certificate = socket.getPeerCertificate(false);
  const isPresented = certificate !== null && Object.keys(certificate).length > 0;
  if (!isPresented) return { ...remote, hasBadClientCertificate: false };
  if (!socket.authorized) return { ...remote, hasBadClientCertificate: true };
  return { ...remote, clientCertificate: identityOf(certificate), hasBadClientCertificate: false };
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
