import { ApiError, badRequest, serviceUnavailable, withoutReason } from '#errors';
import type { Identified, Reply } from '#request';
import { askBackEnd, joinConnections, knownWords, originOf, TransportFailure, type BackEnd, type BackEndAnswer, type BackEndRequest } from '#transport';
import type { VerbContext } from '../verb-context.ts';
import type { Destination } from './connect-destination.ts';
import { forwardedHeaders, returnedHeaders, upgradeHeaders } from './connect-headers.ts';
import { shownLocation, type Appearance } from './connect-location.ts';
import { withShownLinks } from './connect-page.ts';
import type { ForwardSettings } from './connect-settings.ts';

/** Forwards the request of a verb. Throws what `handOn` throws. */
export const forward = ({ request, env }: VerbContext, destination: Destination): Promise<Reply> => forwardRequest(request, destination, env.connecting);

/**
 * Forwards a request and replies with the response of the back end. Throws the error of `UNANSWERED` where the back end does not answer, and
 * `RequestEntityTooLarge` for longer bodies.
 */
export async function forwardRequest(request: Identified, { backEnd, path, mustUpgrade, base, headers, signal }: Destination, { maxProxiedBytes, namesCaller }: ForwardSettings): Promise<Reply> {
  if (mustUpgrade && request.upgrade === undefined) throw badRequest('Upgrade request required');
  const stop = stopWith(request);
  if (signal?.aborted === true) stop.abort();
  else signal?.addEventListener('abort', () => stop.abort(), { once: true });
  const body = request.upgrade === undefined ? await request.bodyToHandOn(maxProxiedBytes) : undefined;
  const requested: BackEndRequest = {
    method: request.method,
    path,
    headers: { ...forwardedHeaders(request, namesCaller), ...headers },
    ...(body === undefined || body.length === 0 ? {} : { body }),
    // Otherwise an intermediary would misread the bytes that follow as another protocol.
    mayUpgrade: request.upgrade !== undefined,
    signal: stop.signal,
  };
  const answer = await callBackEnd(backEnd, requested, request.upgrade === undefined ? 'answer' : 'tunnel');
  if (answer.socket !== undefined) return tunnelTo(answer, answer.socket);
  // A response to HEAD has no body to read.
  if (request.method === 'HEAD') stop.abort();
  try {
    if (request.upgrade !== undefined && answer.status < 400) throw withoutReason(`invalid upgrade response: status code ${answer.status}`);
    const appearance = base === undefined ? undefined : { base, hosts: hostsOf(backEnd, requested) };
    const location = locationOf(answer, appearance);
    return streamOf(appearance === undefined ? answer : withShownLinks(answer, appearance), location, stop);
  } catch (refusal) {
    // The body of the refused response is not read.
    stop.abort();
    throw refusal;
  }
}

/**
 * Shows the client the `Location` of a response where it leads within the proxy. A back end may not redirect clients elsewhere: they would follow with
 * their credentials.
 */
function locationOf({ status, headers }: BackEndAnswer, appearance: Appearance | undefined): Readonly<Record<string, string>> {
  const location = headers['location']?.[0];
  if (location === undefined || location === '') return {};
  const shown = appearance === undefined ? undefined : shownLocation(location, appearance);
  if (shown !== undefined) return { location: shown };
  if (status < 300 || status > 399 || status === 304) return {};
  throw new ApiError('', 'the backend attempted to redirect this request, which is not permitted', undefined, { code: appearance === undefined ? BAD_GATEWAY : 500 });
}

/** The hosts by which a back end may call itself: its address, and the one that the client asked for. */
const hostsOf = (backEnd: BackEnd, { headers }: BackEndRequest): readonly string[] => [new URL(originOf(backEnd)).host, ...[headers['host'] ?? []].flat()];

const BAD_GATEWAY = 502;

function tunnelTo({ status, headers }: BackEndAnswer, socket: NonNullable<BackEndAnswer['socket']>): Reply {
  return {
    status,
    headers: upgradeHeaders(headers),
    stream: async () => void socket.destroy(),
    tunnel: (client) => joinConnections(client, socket),
  };
}

/**
 * Streams the response of the back end until its end, or until the client disconnects, at the pace of the client, which may pause (a log in a pager). A
 * response that the server itself ends is broken off: a part must not look complete.
 */
export function streamOf({ status, headers, chunks }: BackEndAnswer, changed: Readonly<Record<string, string>>, stop: AbortController): Reply {
  return {
    status,
    headers: { ...returnedHeaders(headers), ...changed },
    mayPause: true,
    stream: async (out) => {
      out.signal.addEventListener('abort', () => stop.abort(), { once: true });
      if (out.signal.aborted) stop.abort();
      out.open();
      for await (const chunk of chunks) if (!out.write(chunk)) await out.drained();
    },
  };
}

/** A controller that aborts the call of the back end when the client disconnects. */
export function stopWith({ signal }: Identified): AbortController {
  const stop = new AbortController();
  if (signal.aborted) stop.abort();
  else signal.addEventListener('abort', () => stop.abort(), { once: true });
  return stop;
}

/** The error for the client where the back end does not answer, by what was expected from it. `why` is worded as clients know it. */
const UNANSWERED = {
  answer: (why: string, _url: string, cause: TransportFailure) => serviceUnavailable(`error trying to reach service: ${why}`, cause),
  tunnel: (why: string, _url: string, cause: TransportFailure) => withoutReason(`error dialing backend: ${why}`, cause),
  log: (why: string, url: string, cause: TransportFailure) => withoutReason(`Get ${JSON.stringify(url)}: ${why}`, cause),
} as const;

/** Calls the back end. Throws the error of `UNANSWERED` where it does not answer, `BadRequest` where its address is forbidden. */
export async function callBackEnd(backEnd: BackEnd, requested: BackEndRequest, wanted: keyof typeof UNANSWERED): Promise<BackEndAnswer> {
  try {
    return await askBackEnd(backEnd, requested);
  } catch (cause) {
    if (!(cause instanceof TransportFailure)) throw cause;
    if (cause.code === 'forbidden-address') throw badRequest(cause.message, cause);
    const url = `${originOf(backEnd)}${requested.path}`;
    throw UNANSWERED[wanted](knownWords(cause, url) ?? cause.message, url, cause);
  }
}
