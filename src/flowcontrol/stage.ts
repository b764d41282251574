import { isConnecting, type Identified, type Reply, type ReplyHeaders, type Stage } from '#request';

/** A priority level and the schema that leads to it, as named in response headers. */
export interface FlowClass {
  readonly schemaUid: string;
  readonly levelUid: string;
}

/** The two classes that always exist: what is never held back, and everything else. */
export interface FlowClasses {
  readonly exempt: FlowClass;
  readonly catchAll: FlowClass;
}

export const createFlowClasses = (): FlowClasses => ({ exempt: createClass(), catchAll: createClass() });

const createClass = (): FlowClass => ({ schemaUid: crypto.randomUUID(), levelUid: crypto.randomUUID() });

/**
 * Classifies requests and says so in the answer. Nothing is held back yet: the classes have no limits.
 * Requests that connect to something behind the API are not classified.
 */
export function flowControlStage(classes: FlowClasses): Stage<Identified> {
  const exempt = headersOf(classes.exempt);
  const catchAll = headersOf(classes.catchAll);
  return async (request, next) => {
    const reply = await next(request);
    if (isConnecting(request.info)) return reply;
    return withHeaders(reply, request.user.groups.includes('system:masters') ? exempt : catchAll);
  };
}

const headersOf = ({ schemaUid, levelUid }: FlowClass): ReplyHeaders => ({
  'x-kubernetes-pf-flowschema-uid': schemaUid,
  'x-kubernetes-pf-prioritylevel-uid': levelUid,
});

const withHeaders = (reply: Reply, headers: ReplyHeaders): Reply => ({ ...reply, headers: { ...headers, ...reply.headers } });
