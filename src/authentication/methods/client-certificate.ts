import { unauthorized } from '#errors';
import type { Authenticator } from '#request';
import type { CredentialObserver } from '../credential-observer.ts';

/** Authenticates by the client certificate: the common name is the user, organizations are the groups; without common name no user. @spec 5.9 */
export function clientCertificates(observer?: Pick<CredentialObserver, 'certificate'>): Authenticator {
  return {
    name: 'x509',
    authenticate(request) {
      const { clientCertificate: certificate, hasBadClientCertificate: isBad = false, certificateEndsAtMs } = request;
      if (certificate === undefined && !isBad) return undefined;
      if (certificateEndsAtMs !== undefined) observer?.certificate(certificateEndsAtMs - request.receivedAt);
      if (certificate === undefined) throw unauthorized(`client certificate: ${request.certificateFault ?? 'unknown'}`);
      if (certificate.commonName === '') return undefined;
      return { user: { name: certificate.commonName, groups: certificate.organizations } };
    },
  };
}
