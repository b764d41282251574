import { isPromised } from '#base';
import { isConnecting, replaceHeaders, type Identified, type Next, type Reply, type Stage } from '#request';
import type { FlowClass } from './flow-class.ts';
import type { FlowControl, Pass } from './flow-control.ts';
import { tooMany } from './too-many.ts';

/**
 * Lets requests run as far as their priority level allows, and names schema and level in the answer. Requests that connect to something
 * behind the API go on for as long as that does: they are not classified. A watch counts until it has begun. `refused` hears of those that are
 * turned away.
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
