import type { Brand } from '#api';
import type { TokenReference, User } from '#request';

const USER_PREFIX = 'system:serviceaccount:';
const GROUP = 'system:serviceaccounts';

/** The user name of a service account. */
export const accountUserName = (namespace: string, name: string): string => `${USER_PREFIX}${namespace}:${name}`;

/** The user that a service account acts as; `pod`: the pod its token is bound to. @spec 5.9 */
export function accountUser(namespace: string, account: TokenReference, pod: TokenReference | undefined, { names }: Brand): User {
  return {
    name: accountUserName(namespace, account.name),
    uid: account.uid,
    groups: [GROUP, `${GROUP}:${namespace}`],
    ...(pod === undefined ? {} : { extra: { [names.podNameExtra]: [pod.name], [names.podUidExtra]: [pod.uid] } }),
  };
}
