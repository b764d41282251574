import { exchange, type LocalAnswer, type LocalRequest } from '#http';
import { chain, requestInfoStage, type Identified, type Next, type Received, type Routed, type Stage } from '#request';

/** Asks the server something as the server itself: no authentication, no authorization, everything else as for anyone. */
export type Loopback = (request: LocalRequest) => Promise<LocalAnswer>;

const SELF = { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] } as const;

const asSelf: Stage<Routed, Identified> = (request, next) => next(Object.assign(request, { user: SELF }));

export function createLoopback(dispatch: Next<Identified>): Loopback {
  const handle: Next<Received> = chain(requestInfoStage).through(asSelf).end(dispatch);
  return (request) => exchange(handle, { ...request, headers: { 'user-agent': 'kube-apiserver', ...request.headers } });
}
