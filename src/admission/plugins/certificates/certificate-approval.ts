import type { CertificateSigningRequest } from '#kinds';
import { maySign } from '#request';
import { definePlugin, refuse } from '../../plugin.ts';

/**
 * Requires the `approve` permission for the signer from users who approve or deny a certificate signing request. The signer is that of the stored
 * request.
 * @spec 4.10 @spec 4.11
 */
export const certificateApproval = definePlugin({
  name: 'CertificateApproval',
  enabled: true,
  band: 'builtin',
  after: ['RuntimeClass'],
  create: (env) => ({
    on: ['UPDATE'],
    kinds: ['certificates/certificatesigningrequests/approval'],
    async validate(request) {
      const { signerName } = (request.live as CertificateSigningRequest).spec;
      if (await maySign(env, { user: request.user, verb: 'approve', signerName }, request.signal)) return;
      throw refuse(request, `user not permitted to approve requests with signerName ${JSON.stringify(signerName)}`);
    },
  }),
});
