import { ApiError, badRequest, FieldErrors, foreignAnswer, goQuoted, internalError, invalid, withoutReason } from '#errors';
import { CONNECT_OPTIONS, type Pod } from '#kinds';
import type { Reply } from '#request';
import type { BackEndAnswer } from '#transport';
import type { VerbContext } from '../verb-context.ts';
import { wantsWebsocket } from '../websocket/handshake.ts';
import { bytesOverWebsocket } from '../websocket/websocket-bytes.ts';
import { containerOf } from './connect-container.ts';
import { callBackEnd, stopWith, streamOf } from './connect-forward.ts';
import { nodeAgent } from './connect-node.ts';
import { readConnectOptions } from './connect-options.ts';
import { pathOf, withQuery } from './connect-pod.ts';
import { readStored } from './connect-read.ts';

type LogOptions = ReturnType<typeof readOptions>;

/** Replies with the log of a container, read from the agent of its node, or sends it over a WebSocket. A pod without a node has no log. */
export async function log(context: VerbContext): Promise<Reply> {
  const { request } = context;
  const options = readOptions(context);
  const pod = (await readStored(context, 'Pod', context.route.key)) as Pod;
  const container = containerOf(pod, options.container);
  const headers = { 'content-type': 'text/plain' };
  if (!pod.spec.nodeName) return { status: 204, headers: {}, body: new Uint8Array(0) };
  const agent = await nodeAgent(context, pod.spec.nodeName);
  const { authority: _, ...untrusting } = agent.trust ?? {};
  const backEnd = options.insecureSkipTLSVerifyBackend === true ? { ...agent, trust: untrusting } : agent;
  const stop = stopWith(request);
  const path = withQuery(pathOf('containerLogs', pod, container), queryOf(options));
  const answer = await callBackEnd(backEnd, { method: 'GET', path, headers: {}, signal: stop.signal }, 'log');
  if (answer.status < 200 || answer.status > 206) throw await refusalOf(answer, pod);
  if (wantsWebsocket(request)) return bytesOverWebsocket(request, context.env.catalog.brand, answer.chunks, stop);
  return streamOf({ ...answer, status: 200, headers: {} }, headers, stop);
}

function readOptions({ request: { query }, env, route }: VerbContext) {
  const options = readConnectOptions(CONNECT_OPTIONS.PodLogOptions, query);
  const at = new FieldErrors();
  const { tailLines, limitBytes, sinceSeconds, sinceTime } = options;
  if (tailLines !== undefined && tailLines < 0) at.child('tailLines').invalid(tailLines, 'must be greater than or equal to 0');
  if (limitBytes !== undefined && limitBytes < 1) at.child('limitBytes').invalid(limitBytes, 'must be greater than 0');
  if (sinceSeconds !== undefined && sinceTime !== undefined) at.key('').forbidden('at most one of `sinceTime` or `sinceSeconds` may be specified');
  else if (sinceSeconds !== undefined && sinceSeconds < 1) at.child('sinceSeconds').invalid(sinceSeconds, 'must be greater than 0');
  if (!at.isEmpty) throw invalid({ group: env.catalog.brand.group(''), kind: 'PodLogOptions' }, route.key.name, at.causes);
  return options;
}

function queryOf(options: LogOptions): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of ['follow', 'previous', 'timestamps'] as const) if (options[name] === true) query.set(name, 'true');
  for (const name of ['sinceSeconds', 'sinceTime', 'tailLines', 'limitBytes'] as const) {
    if (options[name] !== undefined) query.set(name, String(options[name]));
  }
  return query;
}

const MAX_REFUSAL_BYTES = 50_000;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The answer of the agent as an API error, its message cut to `MAX_REFUSAL_BYTES`. */
async function refusalOf({ status, headers, chunks }: BackEndAnswer, { metadata: { name = '' } }: Pod): Promise<ApiError> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    size += chunk.length;
    if (size >= MAX_REFUSAL_BYTES) break;
  }
  const text = Buffer.concat(parts).subarray(0, MAX_REFUSAL_BYTES).toString();
  const location = headers['location']?.[0];
  if (REDIRECTS.has(status) && location !== undefined) return withoutReason(`Get ${goQuoted(location)}: redirects forbidden`);
  if (status === 500) return internalError(text);
  if (status === 400) return badRequest(text);
  const { reason, message } = foreignAnswer(status, text);
  return new ApiError(reason, `${message} ( pods/log ${name})`, { kind: 'pods/log', name }, { code: status });
}
