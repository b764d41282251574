import { badRequest, type ApiError } from '#errors';
import { isOfNamespaces, type ApiObject, type ObjectKey, type Resource } from '#api';
import type { VerbContext } from './verb-context.ts';

/** The body of a write must be the object that the path names; it need not repeat the namespace. Throws `BadRequest`. */
export function checkPlace(context: VerbContext, { metadata: { name, namespace } }: Pick<ApiObject, 'metadata'>): void {
  const { key, resource } = context.route;
  if (!name) throw nameless(context);
  if (name !== key.name) throw otherName(context, name);
  const within = namespaceOf(resource, key);
  if (within === '' || !namespace || namespace === within) return;
  throw badRequest(`the namespace of the object (${namespace}) does not match the namespace on the request (${within})`);
}

/** The error for an object with another name than the path. */
export const otherName = ({ route: { key } }: Pick<VerbContext, 'route'>, name: string): ApiError =>
  badRequest(`the name of the object (${name}) does not match the name on the URL (${key.name})`);

/** The error for an object without a name. */
export const nameless = ({ route: { key } }: Pick<VerbContext, 'route'>): ApiError =>
  badRequest(`the name of the object (${key.name} based on URL) was undeterminable: name must be provided`);

/**
 * Sets the namespace of the path. Runs after mutating admission, which sees the namespace as it was sent. Changes `object`. Throws `BadRequest` where
 * the object names another namespace.
 */
export function settleNamespace({ route: { key, resource } }: VerbContext, { metadata }: ApiObject): void {
  if (resource.kind.scope === 'Cluster') delete metadata.namespace;
  else if (!metadata.namespace) metadata.namespace = key.namespace;
  else if (metadata.namespace !== key.namespace) throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

/** The namespace of a request, as admission sees it: that of a Namespace object is its own name. */
export const namespaceOf = (resource: Resource, { namespace, name }: ObjectKey): string => (isOfNamespaces(resource) ? name : namespace);
