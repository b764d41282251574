import { badRequest, serviceUnavailable, withoutReason } from '#errors';
import type { Identified, Reply } from '#request';
import { askBackEnd, joinConnections, knownWords, originOf, TransportFailure, type BackEnd, type BackEndAnswer, type BackEndRequest } from '#transport';
import type { VerbContext } from '../verb-context.ts';
import type { Destination } from './connect-destination.ts';
import { forwardedHeaders, returnedHeaders, upgradeHeaders } from './connect-headers.ts';
import type { HandOnSettings } from './connect-settings.ts';

/** Hands the request of a verb on. Throws what `handOn` throws. */
export const forward = ({ request, env }: VerbContext, destination: Destination): Promise<Reply> => handOn(request, destination, env.connecting);

/** Hands a request on and gives back what comes. Throws what `UNANSWERED` says where nobody answers as asked, `RequestEntityTooLarge` for longer bodies. */
export async function handOn(request: Identified, { backEnd, path, mustUpgrade, base, headers }: Destination, { maxProxiedBytes, namesCaller }: HandOnSettings): Promise<Reply> {
  if (mustUpgrade && request.upgrade === undefined) throw badRequest('Upgrade request required');
  const stop = stopWith(request);
  const body = request.upgrade === undefined ? await request.body(maxProxiedBytes) : undefined;
  const asked: BackEndRequest = {
    method: request.method,
    path,
    headers: { ...forwardedHeaders(request, namesCaller), ...headers },
    ...(body === undefined || body.length === 0 ? {} : { body }),
    // Whoever stands between would take what follows for another protocol.
    mayUpgrade: request.upgrade !== undefined,
    signal: stop.signal,
  };
  const answer = await callBackEnd(backEnd, asked, request.upgrade === undefined ? 'answer' : 'tunnel');
  if (answer.socket !== undefined) return tunnelTo(answer, answer.socket);
  // The head was asked for alone: nothing more is read.
  if (request.method === 'HEAD') stop.abort();
  try {
    return streamOf(answer, checkRedirect(answer, base), stop);
  } catch (refusal) {
    // Nobody reads what comes with it.
    stop.abort();
    throw refusal;
  }
}

/** Whoever answers may send nobody elsewhere: callers would follow with their credentials. Inside of what is proxied they may go on. */
function checkRedirect({ status, headers }: BackEndAnswer, base: string | undefined): Readonly<Record<string, string>> {
  if (status < 300 || status > 399 || status === 304) return {};
  const { location } = headers;
  if (base === undefined || location === undefined || !/^\/(?!\/)/.test(location)) {
    throw withoutReason('the backend attempted to redirect this request, which is not permitted');
  }
  return { location: `${base}${location}` };
}

function tunnelTo({ status, headers }: BackEndAnswer, socket: NonNullable<BackEndAnswer['socket']>): Reply {
  return {
    status,
    headers: upgradeHeaders(headers),
    stream: async () => void socket.destroy(),
    tunnel: (client) => joinConnections(client, socket),
  };
}

/** The answer as it comes, until its end or until nobody is left to hear it. One that the server ends itself is broken off: a part must not look whole. */
export function streamOf({ status, headers, chunks }: BackEndAnswer, changed: Readonly<Record<string, string>>, stop: AbortController): Reply {
  return {
    status,
    headers: { ...returnedHeaders(headers), ...changed },
    stream: async (out) => {
      out.signal.addEventListener('abort', () => stop.abort(), { once: true });
      if (out.signal.aborted) stop.abort();
      for await (const chunk of chunks) if (!out.write(chunk)) await out.drained();
    },
  };
}

/** Ends the call of the back end when the caller goes away. */
export function stopWith({ signal }: Identified): AbortController {
  const stop = new AbortController();
  if (signal.aborted) stop.abort();
  else signal.addEventListener('abort', () => stop.abort(), { once: true });
  return stop;
}

/** What callers are told where nobody answers, by what they wanted to have from there. `why` is in words that clients know. */
const UNANSWERED = {
  answer: (why: string, _url: string, cause: TransportFailure) => serviceUnavailable(`error trying to reach service: ${why}`, cause),
  tunnel: (why: string, _url: string, cause: TransportFailure) => withoutReason(`error dialing backend: ${why}`, cause),
  log: (why: string, url: string, cause: TransportFailure) => withoutReason(`Get ${JSON.stringify(url)}: ${why}`, cause),
} as const;

/** Throws what `UNANSWERED` says where nobody answers, `BadRequest` where nobody may be asked. */
export async function callBackEnd(backEnd: BackEnd, asked: BackEndRequest, wanted: keyof typeof UNANSWERED): Promise<BackEndAnswer> {
  try {
    return await askBackEnd(backEnd, asked);
  } catch (cause) {
    if (!(cause instanceof TransportFailure)) throw cause;
    if (cause.code === 'forbidden-address') throw badRequest(cause.message, cause);
    const url = `${originOf(backEnd)}${asked.path}`;
    throw UNANSWERED[wanted](knownWords(cause, url) ?? cause.message, url, cause);
  }
}
