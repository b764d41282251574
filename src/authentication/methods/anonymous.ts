import type { Authenticator } from '#request';

/** Authenticates requests without credentials; used after all other methods. @spec 5.2 */
export const anonymous: Authenticator = {
  name: 'anonymous',
  authenticate() {
    return { user: { name: 'system:anonymous', groups: ['system:unauthenticated'] } };
  },
};
