import { SERVER_ITSELF } from '#request';
import { definePlugin, refuse, type AdmissionRequest } from '../../plugin.ts';

/** Refuses every write, but those of the server itself, which still makes what it needs to start. @spec 4.11 */
export const alwaysDeny = definePlugin({
  name: 'AlwaysDeny',
  enabled: false,
  band: 'final',
  create: () => ({ on: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'], mutate: deny, validate: deny }),
});

function deny(request: AdmissionRequest): void {
  if (request.user !== SERVER_ITSELF) throw refuse(request, 'admission control is denying all modifications');
}
