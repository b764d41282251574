import { exchange, type LocalAnswer, type LocalRequest } from '#http';
import { chain, requestInfoStage, SERVER_ITSELF, type Identified, type Next, type Received, type Routed, type Stage } from '#request';

/** Asks the server something as the server itself: no authentication, no authorization, everything else as for anyone. */
export type Loopback = (request: LocalRequest) => Promise<LocalAnswer>;

const GROUPS = ['system:masters', 'system:authenticated'] as const;
/** The server itself. */
export const SELF: LoopbackUser = { name: SERVER_ITSELF.name, agent: 'kube-apiserver' };

/** A part of the server that asks in its own name; what it writes is recorded under `agent`. */
export interface LoopbackUser {
  readonly name: string;
  readonly agent: string;
}

/** Requests in the name of `user`, straight to what answers. */
export function createLoopback(dispatch: Next<Identified>, user: LoopbackUser = SELF): Loopback {
  const handle = handleAs(dispatch, user);
  return (request) => exchange(handle, { ...request, headers: { 'user-agent': user.agent, ...request.headers } });
}

/** The way of a request of a part of the server. */
export function handleAs(dispatch: Next<Identified>, { name }: LoopbackUser): Next<Received> {
  const user = name === SERVER_ITSELF.name ? SERVER_ITSELF : { name, groups: GROUPS };
  const asSelf: Stage<Routed, Identified> = (request, next) => next(Object.assign(request, { user }));
  return chain(requestInfoStage).through(asSelf).end(dispatch);
}
