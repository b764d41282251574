import { nameInGroup } from '#errors';

/** A version of a group, as the wire names them; the core group is empty. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** `v1`, `apps/v1`. */
export const apiVersionOf = ({ group, version }: GroupVersion): string => (group === '' ? version : `${group}/${version}`);

/** Where its resources are served: `/api/v1`, `/apis/apps/v1`. */
export const rootPathOf = (of: GroupVersion): string => `${of.group === '' ? '/api' : '/apis'}/${apiVersionOf(of)}`;

/** What an `apiVersion` says: everything before its first slash, and behind it. Whether that is a group and a version is not judged. */
export function parseApiVersion(apiVersion: string): GroupVersion {
  const slash = apiVersion.indexOf('/');
  return { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1) };
}

/** Whether it can be read as a version, of a group or of none: kube-apiserver takes what has more slashes for nothing. */
export const isApiVersion = (text: string): boolean => text.indexOf('/') === text.lastIndexOf('/');

/** A resource in every version, as messages and counts name it: `pods`, `deployments.apps`. */
export const resourceName = ({ group, plural }: { readonly group: string; readonly plural: string }): string => nameInGroup(plural, group);
