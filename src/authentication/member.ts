import type { User } from '#request';

/** The group of all authenticated users. */
const AUTHENTICATED = 'system:authenticated';
const UNAUTHENTICATED = 'system:unauthenticated';

/** The user of anonymous requests, which never counts as authenticated. */
const ANONYMOUS = 'system:anonymous';

/** The user with the group `system:authenticated` added, unless the user is anonymous or in `system:unauthenticated`. @spec 5.1 */
export function asMember(user: User): User {
  const isMember = user.name === ANONYMOUS || user.groups.includes(AUTHENTICATED) || user.groups.includes(UNAUTHENTICATED);
  return isMember ? user : { ...user, groups: [...user.groups, AUTHENTICATED] };
}
