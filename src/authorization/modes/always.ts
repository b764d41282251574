import type { AccessRule, Authorizer, User } from '#request';

/** Members of `system:masters` may do everything. @spec 5.1 */
export const isPrivileged = (user: User): boolean => user.groups.includes('system:masters');

/** The same for whoever asks an authorizer. It goes without saying: reviews of rules list only what the modes have. */
export const privilegedGroup: Authorizer = {
  authorize: ({ user }) => (isPrivileged(user) ? { verdict: 'allow', reason: '' } : { verdict: 'noOpinion', reason: '' }),
  rulesOf: () => ({ rules: [], isIncomplete: false }),
};

/** Lets everybody do everything. @spec 5.1 */
export const alwaysAllow: Authorizer = {
  authorize: () => ({ verdict: 'allow', reason: '' }),
  rulesOf: () => ({ rules: EVERYTHING, isIncomplete: false }),
};

/** Allows nothing. For tests. @spec 5.1 */
export const alwaysDeny: Authorizer = {
  authorize: () => ({ verdict: 'noOpinion', reason: 'Everything is forbidden.' }),
  rulesOf: () => ({ rules: [], isIncomplete: false }),
};

/** What whoever may do everything holds. */
export const EVERYTHING: readonly AccessRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];
