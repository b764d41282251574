import type { ApiError } from '#errors';
import { forbiddenRequest, type Authorizer, type Identified, type Next, type Question, type Reply, type Stage } from '#request';
import { isPrivileged } from './modes/always.ts';
import { plainFailure } from './plain-failure.ts';

/** Called with every decision; `isAllowed` undefined: the authorizer failed. Must be quick and never throw. */
export type Decided = (request: Identified, isAllowed: boolean | undefined, reason: string) => void;

/**
 * Passes on requests that the authorizer allows; `refuse` renders the response to denied ones. Where no module allows a request and one failed, the
 * response is 500, since a retry may succeed.
 * @spec 5.1
 */
export function authorizationStage(authorizer: Authorizer, refuse: (failure: ApiError, request: Identified) => Reply, decided?: Decided): Stage<Identified> {
  return (request, next) => {
    // The privileged group is checked before a question is built: no authorizer can deny it anything.
    if (!isPrivileged(request.user)) return ask(request, next);
    decided?.(request, true, '');
    return next(request);
  };

  async function ask(request: Identified, next: Next<Identified>): Promise<Reply> {
    const question: Question = { ...request.info, user: request.user };
    const { verdict, reason, failure } = await authorizer.authorize(question, request.signal);
    if (verdict !== 'allow' && failure !== undefined) {
      decided?.(request, undefined, 'internal error');
      return plainFailure(request, failure);
    }
    decided?.(request, verdict === 'allow', reason);
    return verdict === 'allow' ? next(request) : refuse(forbiddenRequest(question, reason), request);
  }
}
