import { isConnecting, type Identified, type Next, type Reply, type ReplyHeaders, type Stage } from '#request';
import type { FlowControl, Pass } from './flow-control.ts';
import { tooMany } from './too-many.ts';

/**
 * Lets requests run as far as their priority level allows, and names schema and level in the answer. Requests that connect to something
 * behind the API go on for as long as that does: they are not classified. A watch counts until it has begun.
 */
export function flowControlStage(flow: FlowControl): Stage<Identified> {
  return (request, next) => {
    if (isConnecting(request.info)) return next(request);
    const flowClass = flow.classes.classify(request);
    if (flowClass.level.config.isExempt) {
      flowClass.counts.dispatched++;
      return answer(request, next, flowClass.headers);
    }
    const entered = flow.enter(request, flowClass);
    if (entered instanceof Promise) return entered.then((outcome) => settle(outcome, request, next, flowClass.headers));
    return settle(entered, request, next, flowClass.headers);
  };

  async function settle(outcome: Pass | string, request: Identified, next: Next<Identified>, headers: ReplyHeaders): Promise<Reply> {
    if (typeof outcome === 'string') return withHeaders(tooMany(), headers);
    try {
      return await answer(request, next, headers);
    } finally {
      flow.leave(outcome);
    }
  }
}

const answer = async (request: Identified, next: Next<Identified>, headers: ReplyHeaders): Promise<Reply> => withHeaders(await next(request), headers);

const withHeaders = (reply: Reply, headers: ReplyHeaders): Reply => ({ ...reply, headers: { ...headers, ...reply.headers } });
