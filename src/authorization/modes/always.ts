import type { AccessRule, Authorizer, User } from '#request';

/** Members of `system:masters` may do everything. @spec 5.1 */
export const isPrivileged = (user: User): boolean => user.groups.includes('system:masters');

/** The same for whoever asks an authorizer. */
export const privilegedGroup: Authorizer = {
  authorize: ({ user }) => (isPrivileged(user) ? { verdict: 'allow', reason: '' } : { verdict: 'noOpinion', reason: '' }),
  rulesOf: (user) => ({ rules: isPrivileged(user) ? EVERYTHING : [], isIncomplete: false }),
};

const EVERYTHING: readonly AccessRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];
