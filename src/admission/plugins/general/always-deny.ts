import { definePlugin, refuse, type AdmissionRequest } from '../../plugin.ts';

/** The server itself: what it needs to start, it makes all the same. */
const SELF = 'system:apiserver';

/** Refuses every change. @spec 4.11 */
export const alwaysDeny = definePlugin({
  name: 'AlwaysDeny',
  enabled: false,
  band: 'final',
  create: () => ({ on: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'], mutate: deny, validate: deny }),
});

function deny(request: AdmissionRequest): void {
  if (request.user.name !== SELF) throw refuse(request, 'admission control is denying all modifications');
}
