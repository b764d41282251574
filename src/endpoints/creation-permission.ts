import { forbidden, internalError } from '#errors';
import type { VerbContext } from './verb-context.ts';

/**
 * An update or an apply that creates the object needs the permission to `create` it, too: the request was authorized for another verb. Throws
 * `Forbidden`, and `InternalError` where the authorizer failed.
 * @spec 5.1
 */
export async function checkMayCreate({ request, route, env }: VerbContext): Promise<void> {
  const { info, user } = request;
  const { verdict, reason, failure } = await env.authorizer.authorize({ ...info, verb: 'create', user }, request.signal);
  if (verdict === 'allow') return;
  if (failure !== undefined) throw internalError(failure);
  const { group, plural, kind } = route.resource;
  const where = kind.scope === 'Cluster' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(info.namespace)}`;
  const why = `User ${JSON.stringify(user.name)} cannot create resource ${JSON.stringify(plural)} in API group ${JSON.stringify(group)} ${where}`;
  throw forbidden({ group, resource: plural }, info.name, reason === '' ? why : `${why}: ${reason}`);
}
