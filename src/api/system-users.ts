import { checkDnsLabel, checkDnsSubdomain } from './names.ts';

// The users and groups that have a meaning for the server by their names, which are the same in both dialects. @spec 5.1

/** Who sends no credentials. */
export const ANONYMOUS_USER = 'system:anonymous';
/** All whose credentials were accepted. */
export const AUTHENTICATED_GROUP = 'system:authenticated';
/** All others. */
export const UNAUTHENTICATED_GROUP = 'system:unauthenticated';
/** They may do everything. */
export const MASTERS_GROUP = 'system:masters';
/** All kubelets. */
export const NODES_GROUP = 'system:nodes';
/** The user of a kubelet is this and the name of its node. */
export const NODE_USER_PREFIX = 'system:node:';
/** Controllers: those of the server itself, and those of a kube-controller-manager beside it. */
export const CONTROLLER_MANAGER_USER = 'system:kube-controller-manager';

interface Named {
  readonly name: string;
  readonly groups: readonly string[];
}

/** The node name of a user, which may be empty; undefined: the user is no node. */
export const nodeOfUser = ({ name, groups }: Named): string | undefined =>
  name.startsWith(NODE_USER_PREFIX) && groups.includes(NODES_GROUP) ? name.slice(NODE_USER_PREFIX.length) : undefined;

/** The user name of a service account. */
export const accountUserName = (namespace: string, name: string): string => `system:serviceaccount:${namespace}:${name}`;

const ACCOUNT = /^system:serviceaccount:([^:]*):([^:]*)$/;

/** The service account with this user name; undefined: none can have it. */
export function accountOfUserName(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace = '', name = ''] = ACCOUNT.exec(user) ?? [];
  return checkDnsLabel(namespace) === undefined && checkDnsSubdomain(name) === undefined ? { namespace, name } : undefined;
}

const ACCOUNTS_GROUP = 'system:serviceaccounts';

/** The group of all service accounts of a namespace. */
export const accountsGroup = (namespace: string): string => `${ACCOUNTS_GROUP}:${namespace}`;

/** The groups of a service account. */
export const accountGroups = (namespace: string): readonly string[] => [ACCOUNTS_GROUP, accountsGroup(namespace)];
