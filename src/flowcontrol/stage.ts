import { isPromised } from '#base';
import { isConnecting, replaceHeaders, type Identified, type Next, type Reply, type Stage } from '#request';
import type { FlowClass } from './flow-class.ts';
import type { FlowControl, Pass } from './flow-control.ts';
import { tooMany } from './too-many.ts';

/**
 * Admits requests within the concurrency of their priority level, and names schema and level in the response headers. Requests that connect to a
 * backend behind the API are not classified, because they last as long as that connection. A watch counts until it has begun. `refused` is called for
 * each rejected request.
 */
export function flowControlStage(flow: FlowControl, refused: (request: Identified) => void): Stage<Identified> {
  return (request, next) => {
    if (isConnecting(request.info)) return next(request);
    const flowClass = flow.classes.classify(request);
    if (flowClass.level.config.isExempt) {
      flowClass.counts.dispatched++;
      return next(request).then((reply) => labelled(reply, flowClass));
    }
    const entered = flow.enter(request, flowClass);
    if (isPromised(entered)) return entered.then((outcome) => settle(outcome, request, next, flowClass));
    return settle(entered, request, next, flowClass);
  };

  async function settle(outcome: Pass | string, request: Identified, next: Next<Identified>, flowClass: FlowClass): Promise<Reply> {
    if (typeof outcome === 'string') {
      refused(request);
      return labelled(tooMany(), flowClass);
    }
    try {
      return labelled(await next(request), flowClass);
    } finally {
      flow.leave(outcome);
    }
  }
}

const labelled = (reply: Reply, { label }: FlowClass): Reply => replaceHeaders(reply, label(reply.headers));
