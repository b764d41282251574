import { forbidden, internalError } from '#errors';
import type { VerbContext } from './verb-context.ts';

/**
 * Who makes an object by an update or an apply needs the permission to create it, too: it was the other verb that the gate let through.
 * Throws `Forbidden`, and `InternalError` where it could not be found out.
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
