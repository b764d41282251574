import {
  constants,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import { setImmediate } from '#base';
import { awaitOtherEnd } from './close-patiently.ts';
import { CUT_OFF, Http2Exchange } from './http2.ts';
import { IdleTime } from './idle-time.ts';
import type { ConnectionLimits } from './limits.ts';
import { probeSession } from './probe-session.ts';
import type { ConnectionFacts } from './received.ts';
import { ResetBudget } from './reset-budget.ts';

/** Read once, not for every stream. */
const { NGHTTP2_NO_ERROR, NGHTTP2_INTERNAL_ERROR, NGHTTP2_FLAG_END_STREAM } = constants;

/**
 * Values of headers with space at their ends are handed on as they came. Otherwise Node leaves such a header out, and the request stays: who puts the
 * name of somebody else into one, to act as them, would act as itself. Node has the choice from 22.17 on; its type declaration of 20 does not know it.
 */
const AS_THEY_CAME: object = { strictFieldWhitespaceValidation: false };

/**
 * The library has a limit of its own for the streams that are reset, which ends the connection: it counts those as well that were answered before,
 * for which nothing more is done, and comes before `countResets` where there are many. Node has the choice from 22 on; the library of 20 keeps its limit.
 */
const ALL_RESETS: object = { streamResetBurst: 0xffff_ffff, streamResetRate: 0xffff_ffff };

export interface Http2Handlers {
  onSession(session: ServerHttp2Session, socket: Socket): void;
  onRequest(exchange: Http2Exchange, method: string, target: string, facts: ConnectionFacts): void;
}

/** Takes over a socket whose client negotiated `h2`. `facts`: what is known of it, asked for with each request. */
export type AcceptHttp2 = (socket: Socket, facts: () => ConnectionFacts) => void;

/** Serves HTTP/2 on sockets given to it; never listens by itself. */
export function createHttp2(limits: ConnectionLimits, handlers: Http2Handlers): AcceptHttp2 {
  const server: Http2Server = createServer({
    ...AS_THEY_CAME,
    ...ALL_RESETS,
    maxHeaderListPairs: limits.maxHeaders,
    maxSessionMemory: limits.maxSessionMegabytes,
    maxSessionRejectedStreams: 100,
    maxSessionInvalidFrames: 100,
    maxOutstandingPings: 10,
    settings: { maxConcurrentStreams: limits.maxConcurrentStreams, maxHeaderListSize: limits.maxHeaderBytes, enablePush: false },
  });
  let accepted: { readonly socket: Socket; readonly facts: () => ConnectionFacts };
  server.on('session', (session) => {
    const { socket, facts } = accepted;
    handlers.onSession(session, socket);
    // A failed session closes by itself; its requests notice through their streams.
    session.on('error', ignore);
    probeSession(session, socket, limits.probeAfterMs);
    // A client may have begun a head, and Node waits for its end: the second time it waits no more.
    const idle = new IdleTime(limits.idleTimeoutMs, () => (session.closed ? session.destroy() : session.close()));
    session.once('close', () => idle.end());
    // Its client may still be taking what was written last, and says so in frames: who has closed would answer them by a reset, and the rest would be lost.
    socket.once('finish', () => awaitOtherEnd(socket, limits.stallTimeoutMs));
    const onReset = countResets(session, idle, limits);
    // One function for all streams of the session, because there are many and they are short.
    function onClose(this: ServerHttp2Stream): void {
      idle.requestClosed();
      if (wasReset(this)) onReset();
    }
    session.on('stream', (stream, headers, flags, ...rest: unknown[]) => {
      idle.requestOpened();
      stream.on('error', ignore);
      stream.on('close', onClose);
      // Node passes the raw headers as well; its type declaration omits them.
      const rawHeaders = rest[0] as readonly string[];
      const known = facts();
      // Only CONNECT comes without a path, and there is nothing that it could connect to: success would open a tunnel.
      handlers.onRequest(exchangeOf(stream, headers, flags, rawHeaders, limits), headers[':method'] ?? 'GET', headers[':path'] ?? '*', known);
      // Streams that are open go on.
      if (known.hasLostTrust === true || (limits.goawayChance !== undefined && Math.random() < limits.goawayChance)) session.close();
    });
  });
  return (socket, facts) => {
    accepted = { socket, facts };
    server.emit('connection', socket);
  };
}

function exchangeOf(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  flags: number,
  rawHeaders: readonly string[],
  limits: ConnectionLimits,
): Http2Exchange {
  return new Http2Exchange({
    stream,
    rawHeaders,
    declaredLength: headers['content-length'],
    awaitsContinue: headers.expect?.toLowerCase() === '100-continue',
    isBodyless: (flags & NGHTTP2_FLAG_END_STREAM) !== 0,
    bodyTimeoutMs: limits.requestTimeoutMs,
  });
}

/** Errors of streams and sessions are handled where their responses are sent. */
const ignore = (): void => {};

/** Whether the client has reset the stream, with whatever code: it may take those with which streams end that were answered, or that the server cut off. */
const wasReset = ({ rstCode, aborted, errored }: ServerHttp2Stream): boolean =>
  errored !== CUT_OFF && (aborted || (rstCode !== NGHTTP2_NO_ERROR && rstCode !== NGHTTP2_INTERNAL_ERROR));

/**
 * Opening and resetting streams in quick succession costs the peer nothing and the server one request each: beyond a rate the session takes no more
 * streams (GOAWAY). Those that are open go on: a load balancer sends the requests of many clients over one connection, and few of them may be what left
 * their answers. Without an error, because clients end at once what goes on where there is one.
 */
function countResets(session: ServerHttp2Session, idle: IdleTime, limits: ConnectionLimits): () => void {
  const budget = new ResetBudget(limits, performance.now());
  let isOver = false;
  const leave = (): void => {
    session.close();
    // Some releases of Node 20 to 24 look for the last time when GOAWAY is written, and then wait for nothing where a reset is still to be sent: as the
    // client has closed that stream, it never is.
    if (idle.isIdle) session.destroy();
  };
  return () => {
    isOver ||= !budget.take(performance.now());
    // Not while the reset is still being read: where no stream is left this destroys the session, and Node would send empty frames of answers without end.
    if (isOver) setImmediate(leave);
  };
}
