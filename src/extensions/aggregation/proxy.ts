import type { Brand } from '#api';
import type { Clock } from '#base';
import { bareMediaType } from '#codec';
import { ApiError, badRequest, notAcceptable, unsupportedMediaType } from '#errors';
import { plainReply, type Identified, type Reply } from '#request';
import { TransportFailure, type BackEnd } from '#transport';
import { API_SERVICE, isAvailable, type Elsewhere } from './api-service.ts';
import type { BackEnds } from './back-ends.ts';
import { backEndOf, serverNameOf, type ProxyCertificate } from './calls.ts';
import type { ServiceTable } from './service-table.ts';
import { userHeaders } from './user-headers.ts';

/** Forwards a request without credentials and hop-by-hop headers. Throws `ServiceUnavailable` where the backend does not respond. */
export type HandOn = (request: Identified, to: Onward) => Promise<Reply>;
interface Onward {
  readonly backEnd: BackEnd;
  readonly path: string;
  readonly headers: Headers;
  /** Aborts the call. */
  readonly signal?: AbortSignal;
}
type Headers = Readonly<Record<string, string | readonly string[]>>;

export interface ProxyOptions {
  readonly brand: Brand;
  readonly table: ServiceTable;
  readonly backEnds: BackEnds;
  readonly handOn: HandOn;
  readonly clock: Clock;
  readonly certificate: ProxyCertificate | undefined;
}

/** Proxies requests for aggregated groups and versions. undefined: this server serves the request. @spec 4.1 */
export function createProxy(options: ProxyOptions): (request: Identified) => Promise<Reply> | undefined {
  const { elsewhere } = options.table;
  // APIServices are always served here: a mistake in one must stay correctable.
  const own = options.brand.group(API_SERVICE.group);
  return (request) => {
    if (elsewhere.size === 0) return undefined;
    const [, group = '', version = ''] = /^\/apis\/([^/]+)\/([^/]+)(?:\/|$)/.exec(request.info.path) ?? [];
    const service = group === own ? undefined : elsewhere.get(`${version}.${group}`);
    return service === undefined ? undefined : handOver(request, service, options);
  };
}

async function handOver(request: Identified, service: Elsewhere, { brand, backEnds, handOn, clock, certificate }: ProxyOptions): Promise<Reply> {
  const lead = isAvailable(service) ? backEnds.leadTo(service) : undefined;
  if (lead === undefined || 'nowhere' in lead) return unavailable('service unavailable');
  const accept = brand.deviations.aggregatedHaveNoProtobuf ? withoutProtobuf(request, brand) : {};
  const host = serverNameOf(service.spec.service);
  const headers = { ...accept, ...userHeaders(request.user), host, 'x-forwarded-host': host, 'x-forwarded-proto': 'https', 'audit-id': request.id };
  const to: Onward = { backEnd: backEndOf(service, lead.addresses, certificate), path: pathOf(request), headers };
  try {
    return await (isDiscovery(request) ? withinTime(clock, (signal) => handOn(request, { ...to, signal })) : handOn(request, to));
  } catch (cause) {
    if (cause instanceof ApiError && cause.code === BAD_GATEWAY) return plainReply(BAD_GATEWAY, cause.message);
    // Failures without a reason of the API are those of the other server.
    if (cause instanceof TransportFailure || (cause instanceof ApiError && (cause.reason === '' || cause.cause instanceof TransportFailure))) return unavailable(cause.message);
    throw cause;
  }
}

const isDiscovery = ({ info: { path } }: Identified): boolean => /^\/apis\/[^/]+\/[^/]+\/*$/.test(path);

/** Clients ask every group what it has before they do anything: one server that does not answer would hold all of them up. */
const DISCOVERY_MS = 5_000;

/** Gives the call up, and an answer that has not ended, when the time of discovery is over. */
async function withinTime(clock: Clock, call: (signal: AbortSignal) => Promise<Reply>): Promise<Reply> {
  const late = new AbortController();
  const cancel = clock.after(DISCOVERY_MS, () => late.abort());
  try {
    const reply = await call(late.signal);
    if ('stream' in reply) return { ...reply, stream: (out) => reply.stream(out).finally(cancel) };
    cancel();
    return reply;
  } catch (cause) {
    cancel();
    if (late.signal.aborted) return unavailable('error trying to reach service: context deadline exceeded');
    throw cause;
  }
}

/**
 * The path encoded again from the one that was authorized, so that the backend cannot parse another path from it. Throws `BadRequest` for `.` and
 * `..` segments.
 */
function pathOf({ info: { path }, query }: Identified): string {
  if (/\/\.{1,2}(?:\/|$)/.test(path)) throw badRequest('a path must not hold . or .. as a segment');
  const spelled = encodeURI(path).replaceAll('?', '%3F').replaceAll('#', '%23');
  return query.size === 0 ? spelled : `${spelled}?${query.toString()}`;
}

/** Removes protobuf from the accepted media types. Throws `NotAcceptable` and `UnsupportedMediaType` where only protobuf would do. */
function withoutProtobuf({ headers }: Identified, { names: { protobuf } }: Brand): Headers {
  const isProtobuf = (text: string): boolean => bareMediaType(text).toLowerCase() === protobuf;
  if ((headers.get('content-type') ?? []).some(isProtobuf)) throw unsupportedMediaType(TEXT_TYPES);
  const clauses = (headers.get('accept') ?? []).flatMap((value) => value.split(','));
  const others = clauses.filter((clause) => !isProtobuf(clause));
  if (others.length === clauses.length) return {};
  if (others.length === 0) throw notAcceptable(TEXT_TYPES);
  return { accept: others.join(',') };
}

const TEXT_TYPES = ['application/json', 'application/yaml'];

const BAD_GATEWAY = 502;
const unavailable = (why: string): Reply => plainReply(503, `${why}\n`);
