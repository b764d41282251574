import { internalError } from '#errors';
import { forbiddenRequest, type Question } from '#request';
import type { VerbContext } from './verb-context.ts';

/**
 * An update or an apply that creates the object needs the permission to `create` it, too: the request was authorized for another verb. Throws
 * `Forbidden`, and `InternalError` where the authorizer failed.
 * @spec 5.1
 */
export async function checkMayCreate({ request, env }: VerbContext): Promise<void> {
  const question: Question = { ...request.info, verb: 'create', user: request.user };
  const { verdict, reason, failure } = await env.authorizer.authorize(question, request.signal);
  if (verdict === 'allow') return;
  throw failure === undefined ? forbiddenRequest(question, reason) : internalError(failure);
}
