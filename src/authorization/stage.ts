import type { ApiError } from '#errors';
import type { Authorizer, Identified, Next, Question, Reply, Stage } from '#request';
import { isPrivileged } from './modes/always.ts';
import { refusal } from './refusal.ts';

/** Told of every decision. Must be quick and never throw. */
export type Decided = (request: Identified, isAllowed: boolean, reason: string) => void;

/** Lets through what the authorizer allows; `refuse` words the answer to everything else. @spec 5.1 */
export function authorizationStage(authorizer: Authorizer, refuse: (failure: ApiError, request: Identified) => Reply, decided?: Decided): Stage<Identified> {
  return (request, next) => {
    // Before anything is put together for the question: nobody has a say in this.
    if (!isPrivileged(request.user)) return ask(request, next);
    decided?.(request, true, '');
    return next(request);
  };

  async function ask(request: Identified, next: Next<Identified>): Promise<Reply> {
    const question: Question = { ...request.info, user: request.user };
    const { verdict, reason } = await authorizer.authorize(question, request.signal);
    decided?.(request, verdict === 'allow', reason);
    return verdict === 'allow' ? next(request) : refuse(refusal(question, reason), request);
  }
}
