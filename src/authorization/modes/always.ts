import { MASTERS_GROUP } from '#api';
import type { AccessRule, Authorizer, User } from '#request';

/** Whether the user is in `system:masters`, which may do everything. @spec 5.1 */
export const isPrivileged = (user: User): boolean => user.groups.includes(MASTERS_GROUP);

/** `isPrivileged` as an authorizer. It lists no rules: reviews of rules list only those of the configured modes. */
export const privilegedGroup: Authorizer = {
  authorize: ({ user }) => (isPrivileged(user) ? { verdict: 'allow', reason: '' } : { verdict: 'noOpinion', reason: '' }),
  rulesOf: () => ({ rules: [], isIncomplete: false }),
};

/** Allows everything. @spec 5.1 */
export const alwaysAllow: Authorizer = {
  authorize: () => ({ verdict: 'allow', reason: '' }),
  rulesOf: () => ({ rules: EVERYTHING, isIncomplete: false }),
};

/** Allows nothing. For tests. @spec 5.1 */
export const alwaysDeny: Authorizer = {
  authorize: () => ({ verdict: 'noOpinion', reason: 'Everything is forbidden.' }),
  rulesOf: () => ({ rules: [], isIncomplete: false }),
};

/** The rules of a user that may do everything. */
export const EVERYTHING: readonly AccessRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];
