import { MASTERS_GROUP } from '#api';
import type { ServiceAddresses } from '#kinds';
import { askBackEnd, TransportFailure, type BackEnd, type BackEndAnswer, type BackEndTrust } from '#transport';
import type { Elsewhere } from './api-service.ts';
import { userHeaders } from './user-headers.ts';

/** The client certificate that makes aggregated servers trust this server's user headers. PEM texts. */
export type ProxyCertificate = NonNullable<BackEndTrust['clientCertificate']>;

/** The user of the aggregator's own requests. */
const AGGREGATOR = { name: 'system:kube-aggregator', groups: [MASTERS_GROUP] } as const;

/** The backend of an APIService at addresses of its service, tried in this order. Throws `TransportFailure` for an invalid CA bundle. */
export function backEndOf({ spec }: Elsewhere, [{ host, port }, ...otherAddresses]: ServiceAddresses, clientCertificate: ProxyCertificate | undefined): BackEnd {
  const { service, caBundle, insecureSkipTLSVerify } = spec;
  const trust: BackEndTrust = {
    isVerified: insecureSkipTLSVerify !== true,
    ...(caBundle ? { authority: pemOf(caBundle) } : {}),
    ...(clientCertificate === undefined ? {} : { clientCertificate }),
  };
  return { isSecure: true, host, port, otherAddresses, serverName: serverNameOf(service), trust, isLocalRefused: false };
}

/** The server name in the certificate of the service. */
export const serverNameOf = ({ namespace = '', name = '' }: Elsewhere['spec']['service']): string => `${name}.${namespace}.svc`;

function pemOf(caBundle: string): string {
  const pem = Buffer.from(caBundle, 'base64').toString('utf8');
  if (pem.includes('-----BEGIN')) return pem;
  throw new TransportFailure('configuration', 'spec.caBundle of the APIService holds no PEM certificates');
}

/** Sends a request as the aggregator itself. Throws `TransportFailure`. */
export function askOnOwnAccount(backEnd: BackEnd, path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<BackEndAnswer> {
  const host = backEnd.serverName ?? backEnd.host;
  return askBackEnd(backEnd, { method: 'GET', path, headers: { host, ...headers, ...userHeaders(AGGREGATOR) }, signal });
}
