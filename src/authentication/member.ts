import type { User } from '#request';

/** Everybody who is known is also in this group. */
const AUTHENTICATED = 'system:authenticated';
const UNAUTHENTICATED = 'system:unauthenticated';

/** Whose name stands for nobody, however it was proved. */
const ANONYMOUS = 'system:anonymous';

/** The user with the group of all who are known; those who are not known stay as they are. @spec 5.1 */
export function asMember(user: User): User {
  const isMember = user.name === ANONYMOUS || user.groups.includes(AUTHENTICATED) || user.groups.includes(UNAUTHENTICATED);
  return isMember ? user : { ...user, groups: [...user.groups, AUTHENTICATED] };
}
