import type { Received, Reply, Stage } from '#request';
import { errorReply, type ErrorReplyOptions } from '../error-reply.ts';

/** Turns everything that later stages throw into an error response. The outermost stage, so that no failure reaches the socket. */
export function recover<C extends Received>(options: ErrorReplyOptions): Stage<C> {
  // No async function, here and in the other stages of every request: it would allocate one more promise per request.
  return (context, next) => {
    const recovered = (thrown: unknown): Reply => errorReply(thrown, context, options);
    try {
      return next(context).catch(recovered);
    } catch (thrown) {
      return Promise.resolve(recovered(thrown));
    }
  };
}
