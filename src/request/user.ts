import { AUTHENTICATED_GROUP, MASTERS_GROUP } from '#api';

/** An authenticated user. @spec 5.1 */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The identity of the server's own requests. Recognized by being this very object: a user with the same name does not get its rights. */
export const SERVER_ITSELF: User = { name: 'system:apiserver', groups: [MASTERS_GROUP, AUTHENTICATED_GROUP] };

/** How the server names itself, as a client and as the manager of the fields that it writes: as kube-apiserver does. */
export const SERVER_AGENT = 'kube-apiserver';
