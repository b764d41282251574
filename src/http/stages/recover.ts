import type { Received, Reply, Stage } from '#request';
import { errorReply, type ErrorReplyOptions } from '../error-reply.ts';

/** Turns everything thrown further in into an answer. Outermost of the stages, so that no failure reaches the socket. */
export function recover<C extends Received>(options: ErrorReplyOptions): Stage<C> {
  // No async function, here and in the other stages that every request passes: it would cost each request a promise of its own.
  return (context, next) => {
    const recovered = (thrown: unknown): Reply => errorReply(thrown, context, options);
    try {
      return next(context).catch(recovered);
    } catch (thrown) {
      return Promise.resolve(recovered(thrown));
    }
  };
}
