import { ANONYMOUS_USER, AUTHENTICATED_GROUP, UNAUTHENTICATED_GROUP } from '#api';
import type { User } from '#request';

/** The user with the group `system:authenticated` added, unless the user is anonymous or in `system:unauthenticated`. @spec 5.1 */
export function asMember(user: User): User {
  const isMember = user.name === ANONYMOUS_USER || user.groups.includes(AUTHENTICATED_GROUP) || user.groups.includes(UNAUTHENTICATED_GROUP);
  return isMember ? user : { ...user, groups: [...user.groups, AUTHENTICATED_GROUP] };
}
