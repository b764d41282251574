import { unauthorized } from '#errors';
import type { Authenticator } from '#request';

/** The certificate of the connection: common name is the user, organizations are the groups. One without a name names nobody. @spec 5.9 */
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
