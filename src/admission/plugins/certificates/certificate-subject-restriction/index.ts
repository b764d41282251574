import { MASTERS_GROUP } from '#api';
import type { CertificateSigningRequest } from '#kinds';
import { definePlugin, refuse } from '../../../plugin.ts';
import { organizationsOf } from './organizations.ts';

/**
 * Refuses requests for client certificates in the group `system:masters`, which may do everything.
 * @spec 4.10 @spec 4.11
 */
export const certificateSubjectRestriction = definePlugin({
  name: 'CertificateSubjectRestriction',
  enabled: true,
  band: 'builtin',
  after: ['CertificateSigning'],
  create: ({ brand }) => ({
    on: ['CREATE'],
    kinds: ['certificates/certificatesigningrequests'],
    validate(request) {
      const { signerName, request: wanted } = (request.object as CertificateSigningRequest).spec;
      if (signerName !== brand.names.clientSigner) return;
      const organizations = organizationsOf(wanted);
      if (organizations === undefined) throw refuse(request, 'the request cannot be read as a PKCS#10 certificate request');
      if (organizations.includes(MASTERS_GROUP)) throw refuse(request, `use of ${signerName} signer with ${MASTERS_GROUP} group is not allowed`);
    },
  }),
});
