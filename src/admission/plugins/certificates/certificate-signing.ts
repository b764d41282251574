import { isDeepEqual } from '#base';
import type { CertificateSigningRequest } from '#kinds';
import { maySign } from '#request';
import { definePlugin, refuse } from '../../plugin.ts';

/**
 * Requires the `sign` permission for the signer from users who write the certificate or the conditions of a certificate signing request.
 * @spec 4.10 @spec 4.11
 */
export const certificateSigning = definePlugin({
  name: 'CertificateSigning',
  enabled: true,
  band: 'builtin',
  after: ['CertificateApproval'],
  create: (env) => ({
    on: ['UPDATE'],
    kinds: ['certificates/certificatesigningrequests/status'],
    async validate(request) {
      const [live, next] = [request.live, request.object] as [CertificateSigningRequest, CertificateSigningRequest];
      const { signerName } = live.spec;
      if (isDeepEqual(outcome(live), outcome(next))) return;
      if (await maySign(env, { user: request.user, verb: 'sign', signerName }, request.signal)) return;
      throw refuse(request, `user not permitted to sign requests with signerName ${JSON.stringify(signerName)}`);
    },
  }),
});

const outcome = ({ status }: CertificateSigningRequest): object => ({
  certificate: status.certificate ?? '',
  conditions: status.conditions ?? [],
});
