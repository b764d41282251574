import { definePlugin, refuse, type AdmissionRequest } from '../../plugin.ts';

/** The user of the server itself, which may still create what it needs to start. */
const SELF = 'system:apiserver';

/** Refuses every write. @spec 4.11 */
export const alwaysDeny = definePlugin({
  name: 'AlwaysDeny',
  enabled: false,
  band: 'final',
  create: () => ({ on: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'], mutate: deny, validate: deny }),
});

function deny(request: AdmissionRequest): void {
  if (request.user.name !== SELF) throw refuse(request, 'admission control is denying all modifications');
}
