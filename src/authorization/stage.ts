import type { ApiError } from '#errors';
import type { Authorizer, Identified, Next, Question, Reply, Stage } from '#request';
import { isPrivileged } from './modes/always.ts';
import { plainFailure } from './plain-failure.ts';
import { refusal } from './refusal.ts';

/** Told of every decision; `undefined`: it could not be found out. Must be quick and never throw. */
export type Decided = (request: Identified, isAllowed: boolean | undefined, reason: string) => void;

/**
 * Lets through what the authorizer allows; `refuse` words the answer to everything else. Where it could not be found out whether something is
 * allowed, the answer is 500: to ask again may help.
 * @spec 5.1
 */
export function authorizationStage(authorizer: Authorizer, refuse: (failure: ApiError, request: Identified) => Reply, decided?: Decided): Stage<Identified> {
  return (request, next) => {
    // Before anything is put together for the question: nobody has a say in this.
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
    return verdict === 'allow' ? next(request) : refuse(refusal(question, reason), request);
  }
}
