import { unauthorized } from '#errors';
import type { Authenticator } from '#request';

/** Authenticates by the client certificate: the common name is the user, organizations are the groups; without common name no user. @spec 5.9 */
export const clientCertificate: Authenticator = {
  name: 'x509',
  authenticate(request) {
    const certificate = request.clientCertificate;
    if (certificate === undefined) {
      if (request.hasBadClientCertificate === true) throw unauthorized();
      return undefined;
    }
    if (certificate.commonName === '') return undefined;
    return { user: { name: certificate.commonName, groups: certificate.organizations } };
  },
};
