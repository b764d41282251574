import type { ApiError } from '#errors';
import type { Authorizer, Identified, Next, Question, Reply, Stage } from '#request';
import { isPrivileged } from './modes/always.ts';
import { refusal } from './refusal.ts';

/** Lets through what the authorizer allows; `refuse` words the answer to everything else. @spec 5.1 */
export function authorizationStage(authorizer: Authorizer, refuse: (failure: ApiError, request: Identified) => Reply): Stage<Identified> {
  return (request, next) => {
    // Before anything is put together for the question: nobody has a say in this.
    return isPrivileged(request.user) ? next(request) : ask(request, next);
  };

  async function ask(request: Identified, next: Next<Identified>): Promise<Reply> {
    const question: Question = { ...request.info, user: request.user };
    const { verdict, reason } = await authorizer.authorize(question, request.signal);
    return verdict === 'allow' ? next(request) : refuse(refusal(question, reason), request);
  }
}
