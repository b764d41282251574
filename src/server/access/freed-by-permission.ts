import type { AdmissionRequest } from '#admission';
import type { Authorizer } from '#request';

/**
 * Whether the user may `create` this subresource of the core resource `resource` there: a permission that exempts from a check; the subresource
 * itself does not exist.
 */
export async function isFreedBy(
  [resource, subresource]: readonly [resource: string, subresource: string],
  authorizer: Authorizer,
  { user, namespace, signal }: Readonly<AdmissionRequest>,
): Promise<boolean> {
  const place = { group: '', version: 'v1', resource, subresource, namespace, name: '' };
  const { verdict } = await authorizer.authorize({ ...place, user, verb: 'create', isResourceRequest: true, path: '', apiPrefix: 'api', parts: [] }, signal);
  return verdict === 'allow';
}
