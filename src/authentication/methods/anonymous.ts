import { ANONYMOUS_USER, UNAUTHENTICATED_GROUP } from '#api';
import type { Authenticator } from '#request';

/** Authenticates requests without credentials; used after all other methods. @spec 5.2 */
export const anonymous: Authenticator = {
  name: 'anonymous',
  authenticate() {
    return { user: { name: ANONYMOUS_USER, groups: [UNAUTHENTICATED_GROUP] } };
  },
};
