import type { Socket } from 'node:net';
import { TLSSocket, type PeerCertificate } from 'node:tls';
import type { ClientCertificate } from '#request';
import type { CertificateTrust, ClientAuthorities } from './client-authorities.ts';
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
 * Who is at the other end of a connection, for each of its requests. Address and certificate are read once. Where the authorities have been replaced
 * since, those that count now judge a certificate that was accepted: nobody stays somebody by keeping a connection open. `authorities` returns those
 * that count now; undefined: the server requests no client certificate.
 */
export function connectionFacts(socket: Socket, authorities: () => ClientAuthorities | undefined): () => ConnectionFacts {
  let judges = authorities();
  const first = readFacts(socket, judges);
  let facts = first;
  return () => {
    const current = authorities();
    if (current !== judges) {
      judges = current;
      facts = judgedAnew(first, socket, current);
    }
    return facts;
  };
}

/** OpenSSL's word for a certificate that no authority has issued. */
const FOREIGN = { certificateFault: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY' } as const;
const LOST = { hasLostTrust: true } as const;
const NO_TRUST: CertificateTrust = { asClient: false, asProxy: false, isBad: false };

function judgedAnew({ clientCertificate, proxyCertificate, ...first }: ConnectionFacts, socket: Socket, authorities: ClientAuthorities | undefined): ConnectionFacts {
  const identity = clientCertificate ?? proxyCertificate;
  // None was shown, or one that the handshake refused: it may have ended, or be none of a client.
  if (identity === undefined || !(socket instanceof TLSSocket)) return first;
  const { isBad, ...trust } = authorities?.stillTrust(socket.getPeerX509Certificate()) ?? NO_TRUST;
  return { ...first, ...identitiesOf(identity, trust), hasBadClientCertificate: isBad, ...(isBad ? FOREIGN : {}), ...(trust.asClient || trust.asProxy ? {} : LOST) };
}

function readFacts(socket: Socket, authorities: ClientAuthorities | undefined): ConnectionFacts {
  const remote = socket.remoteAddress === undefined ? {} : { remoteAddress: socket.remoteAddress };
  if (authorities === undefined || !(socket instanceof TLSSocket)) return { ...remote, hasBadClientCertificate: false };
  const certificate = socket.getPeerCertificate(false);
  const isPresented = certificate !== null && Object.keys(certificate).length > 0;
  if (!isPresented) return { ...remote, hasBadClientCertificate: false };
  const certificateEndsAtMs = Date.parse(certificate.valid_to);
  if (!isTrusted(socket, authorities)) return { ...remote, certificateEndsAtMs, hasBadClientCertificate: true, certificateFault: String(socket.authorizationError) };
  const { asClient, asProxy, isBad } = authorities.trustOf(() => socket.getPeerX509Certificate());
  const identity = identityOf(certificate);
  return {
    ...remote,
    certificateEndsAtMs,
    ...identitiesOf(identity, { asClient, asProxy }),
    hasBadClientCertificate: isBad,
    ...(isBad ? FOREIGN : {}),
  };
}

const identitiesOf = (identity: ClientCertificate, { asClient, asProxy }: Pick<CertificateTrust, 'asClient' | 'asProxy'>): Partial<ConnectionFacts> => ({
  ...(asClient ? { clientCertificate: identity } : {}),
  ...(asProxy ? { proxyCertificate: identity } : {}),
});

/** @spec 5.2 */
function identityOf({ subject }: PeerCertificate): ClientCertificate {
  // Of several CN attributes the last one counts.
  return { commonName: texts(subject.CN).at(-1) ?? '', organizations: texts(subject.O) };
}

function texts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.map(String) : [];
}
