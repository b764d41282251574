import { X509Certificate } from 'node:crypto';
import { isRefusal, type Controller } from '#client';
import { CertificateSigningRequest } from '#kinds';
import { keptUntilMs } from './request-state.ts';

/** Deletes old certificate requests: decided ones after an hour, those that nobody has looked at after a day, all when their certificate has expired. */
export const cleaning: Controller<CertificateSigningRequest> = {
  name: 'csrcleaner',
  watches: CertificateSigningRequest,
  async reconcile(key, { client, clock, inform }) {
    const request = inform(CertificateSigningRequest).get(key);
    if (request === undefined || request.metadata.deletionTimestamp) return undefined;
    const leftMs = endMs(request) - clock.nowMs();
    if (leftMs > 0) return leftMs === Infinity ? undefined : leftMs;
    const { uid = '', resourceVersion = '' } = request.metadata;
    try {
      await client.of(CertificateSigningRequest).delete(key, { uid, resourceVersion });
    } catch (cause) {
      if (!isRefusal(cause, 'NotFound')) throw cause;
    }
    return undefined;
  },
};

const endMs = (request: CertificateSigningRequest): number =>
  Math.min(keptUntilMs(request), certificateEndMs(request.status.certificate ?? '') ?? Infinity);

/** The expiry of a certificate; undefined: there is none, or it cannot be parsed, as what a signer wrote that is no time. */
function certificateEndMs(base64: string): number | undefined {
  if (base64 === '') return undefined;
  try {
    const parsedMs = Date.parse(new X509Certificate(Buffer.from(base64, 'base64')).validTo);
    return Number.isNaN(parsedMs) ? undefined : parsedMs;
  } catch {
    return undefined;
  }
}
