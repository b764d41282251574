import { X509Certificate } from 'node:crypto';
import { certificateBlocks, checkCertificatePair, failureText } from '#base';
import type { ServerOptions } from '../options.ts';
import type { CertificatePair } from './certificates.ts';

/** What is wrong with the certificates, keys and authorities of these options; undefined: nothing. OpenSSL says of a text that is no PEM only `no start line`. */
export function faultOfPairs({ listen, authentication, nodes }: Pick<ServerOptions, 'listen' | 'authentication' | 'nodes'>): string | undefined {
  const tls = listen === false ? undefined : listen?.tls;
  const pairs: readonly (readonly [option: string, pair: CertificatePair | undefined])[] = [
    ['listen.tls', tls],
    ...(tls?.sniCertificates ?? []).map((pair, at) => [`listen.tls.sniCertificates[${at}]`, pair] as const),
    ['nodes.clientCertificate', nodes?.clientCertificate],
  ];
  const authorities: readonly (readonly [option: string, pem: string | undefined])[] = [
    ['listen.tls.clientCa', tls?.clientCa],
    ['authentication.requestHeader.clientCa', authentication?.requestHeader?.clientCa],
    ['nodes.authority', nodes?.authority],
  ];
  for (const [option, pair] of pairs) {
    const why = pair === undefined ? undefined : thrownBy(() => checkCertificatePair(pair));
    if (why !== undefined) return `option ${option}: cert and key are not a certificate and its key, as PEM texts: ${why}`;
  }
  for (const [option, pem] of authorities) {
    const why = pem === undefined || pem === '' ? undefined : thrownBy(() => checkAuthorities(pem));
    if (why !== undefined) return `option ${option} is no PEM text with certificates: ${why}`;
  }
  return undefined;
}

function checkAuthorities(pem: string): void {
  const blocks = certificateBlocks(pem);
  if (blocks.length === 0) throw new Error('there is none in it');
  for (const block of blocks) void new X509Certificate(block);
}

function thrownBy(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (cause) {
    return failureText(cause);
  }
}
