import { Readable } from 'node:stream';
import { exchange, type LocalResponse, type LocalRequest } from '#http';
import type { Send } from '#transport';
import { chain, requestInfoStage, SERVER_AGENT, SERVER_ITSELF, type Identified, type Next, type Received, type Routed, type Stage } from '#request';

/** Sends a request as the server itself: without authentication and authorization, through everything else. */
export type Loopback = (request: LocalRequest) => Promise<LocalResponse>;

/** The server itself. */
const SELF: LoopbackUser = { name: SERVER_ITSELF.name, agent: SERVER_AGENT };

/** An internal client with a user of its own; managed fields of its writes name `agent`. */
export interface LoopbackUser {
  readonly name: string;
  readonly agent: string;
}

/** Sends requests as `user`, straight to the endpoints. */
export function createLoopback(dispatch: Next<Identified>, user: LoopbackUser = SELF): Loopback {
  const handle = handleAs(dispatch, user);
  return (request) => exchange(handle, { ...request, headers: { 'user-agent': user.agent, ...request.headers } });
}

/** Sends requests of a client of the transport through a loopback. */
export const sendBy =
  (loopback: Loopback): Send =>
  async (request) => {
    const answer = await loopback(request);
    return { status: answer.status, headers: answer.headers, chunks: 'stream' in answer ? answer.stream : Readable.from([answer.body]) };
  };

/** The handler of internal requests. */
export function handleAs(dispatch: Next<Identified>, { name }: LoopbackUser): Next<Received> {
  const user = name === SERVER_ITSELF.name ? SERVER_ITSELF : { name, groups: SERVER_ITSELF.groups };
  const asSelf: Stage<Routed, Identified> = (request, next) => next(Object.assign(request, { user }));
  return chain(requestInfoStage).through(asSelf).end(dispatch);
}
