import type { Authenticator } from '#request';

/** Everybody who shows no credentials. Comes last. @spec 5.2 */
export const anonymous: Authenticator = {
  name: 'anonymous',
  authenticate() {
    return { user: { name: 'system:anonymous', groups: ['system:unauthenticated'] } };
  },
};
