import { accountGroups, accountUserName, type Brand } from '#api';
import type { TokenReference, User } from '#request';

/** The user that a service account acts as; `pod`: the pod its token is bound to. @spec 5.9 */
export function accountUser(namespace: string, account: TokenReference, pod: TokenReference | undefined, { names }: Brand): User {
  return {
    name: accountUserName(namespace, account.name),
    uid: account.uid,
    groups: accountGroups(namespace),
    ...(pod === undefined ? {} : { extra: { [names.podNameExtra]: [pod.name], [names.podUidExtra]: [pod.uid] } }),
  };
}
