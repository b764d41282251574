import { nameInGroup } from '#errors';

/** A group and version as on the wire; the core group is empty. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** `v1`, `apps/v1`. */
export const apiVersionOf = ({ group, version }: GroupVersion): string => (group === '' ? version : `${group}/${version}`);

/** Where its resources are served: `/api/v1`, `/apis/apps/v1`. */
export const rootPathOf = (of: GroupVersion): string => `${of.group === '' ? '/api' : '/apis'}/${apiVersionOf(of)}`;

/** Splits an `apiVersion` at its first slash. Does not check that the parts are a valid group and version. */
export function parseApiVersion(apiVersion: string): GroupVersion {
  const slash = apiVersion.indexOf('/');
  return { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1) };
}

/** Whether a text parses as a version, with or without a group: kube-apiserver ignores texts with more slashes. */
export const isApiVersion = (text: string): boolean => text.indexOf('/') === text.lastIndexOf('/');

/** A resource without version, for messages and metrics: `pods`, `deployments.apps`. */
export const resourceName = ({ group, plural }: { readonly group: string; readonly plural: string }): string => nameInGroup(plural, group);
