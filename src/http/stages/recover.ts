import type { Received, Stage } from '#request';
import { errorReply, type ErrorReplyOptions } from '../error-reply.ts';

/** Turns everything thrown further in into an answer. Outermost of the stages, so that no failure reaches the socket. */
export function recover<C extends Received>(options: ErrorReplyOptions): Stage<C> {
  return async (context, next) => {
    try {
      return await next(context);
    } catch (thrown) {
      return errorReply(thrown, context, options);
    }
  };
}
