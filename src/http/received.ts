import type { ClientCertificate, Received, RequestInfo, User } from '#request';
import { freshId } from './fresh-id.ts';
import { headerMap } from './header-map.ts';
import { readQuery } from './query.ts';
import { Warnings } from './warnings.ts';

/**
 * What brought a request here: an HTTP/1.1 exchange, an HTTP/2 stream or a call in the same process. Holds what is shared by all views of
 * the request.
 */
export abstract class Carrier {
  warnings: Warnings | undefined = undefined;
  annotations: Map<string, string> | undefined = undefined;
  /** See `Received.upgrade`. */
  readonly upgrade: string | undefined = undefined;
  #controller: AbortController | undefined = undefined;
  #body: Promise<Uint8Array> | undefined = undefined;

  /** Name, value, name, value, … as received. */
  abstract readonly rawHeaders: readonly string[];
  /** The receiver of the answer is no longer there. */
  abstract readonly isGone: boolean;
  protected abstract readBody(limit: number): Promise<Uint8Array>;
  /** Calls `run` once when the receiver goes away before the answer is complete. */
  abstract onGone(run: () => void): void;

  /** Made on first use: most requests never look at it. */
  get signal(): AbortSignal {
    return this.#control().signal;
  }

  /** Tells everyone working on the request to stop. */
  abort(reason: unknown): void {
    this.#control().abort(reason);
  }

  /** The body is read once; later callers get the same bytes. */
  body(limit: number): Promise<Uint8Array> {
    this.#body ??= this.readBody(limit);
    return this.#body;
  }

  #control(): AbortController {
    if (this.#controller !== undefined) return this.#controller;
    const controller = new AbortController();
    this.#controller = controller;
    if (this.isGone) controller.abort();
    else this.onGone(() => controller.abort());
    return controller;
  }
}

/** What is known about the connection a request came over. */
export interface ConnectionFacts {
  readonly remoteAddress?: string;
  readonly clientCertificate?: ClientCertificate;
  readonly proxyCertificate?: ClientCertificate;
  readonly hasBadClientCertificate: boolean;
  /** When the certificate ends: the connection may last longer. Milliseconds since the epoch. */
  readonly certificateEndsAtMs?: number;
}

export interface IncomingOptions {
  readonly method: string;
  /** The request target as it stood in the request line. */
  readonly target: string;
  readonly carrier: Carrier;
  readonly facts: ConnectionFacts;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
}

/** Shared by all requests without a query: nobody changes a query. It is asked many times, and has nothing to look at. */
class NoQuery extends URLSearchParams {
  override get(): null {
    return null;
  }

  override getAll(): string[] {
    return [];
  }

  override has(): boolean {
    return false;
  }
}

const NO_QUERY = new NoQuery();
const NO_ANNOTATIONS: ReadonlyMap<string, string> = new Map();

/**
 * The one implementation of `Received`. Parts that cost something are made when first asked for.
 * Later stages add to this very object: the slots below exist from the start, so all requests keep one shape.
 */
export class Incoming implements Received {
  readonly method: string;
  readonly path: string;
  readonly receivedAt: number;
  readonly remoteAddress?: string;
  readonly clientCertificate?: ClientCertificate;
  readonly proxyCertificate?: ClientCertificate;
  readonly hasBadClientCertificate: boolean;
  readonly info?: RequestInfo;
  readonly user?: User;
  readonly carrier: Carrier;
  readonly rawQuery: string;
  deadlineAt = Infinity;
  private knownId: string | undefined = undefined;
  private knownQuery: URLSearchParams | undefined = undefined;
  private knownHeaders: ReadonlyMap<string, readonly string[]> | undefined = undefined;

  constructor({ method, target, carrier, facts, receivedAt }: IncomingOptions) {
    const start = pathStart(target);
    const mark = target.indexOf('?', start);
    const path = mark === -1 ? target.slice(start) : target.slice(start, mark);
    this.method = method;
    this.path = path.charCodeAt(0) === 0x2f ? path : `/${path}`;
    this.rawQuery = mark === -1 ? '' : target.slice(mark + 1);
    this.carrier = carrier;
    this.receivedAt = receivedAt;
    const isExpired = receivedAt > (facts.certificateEndsAtMs ?? Infinity);
    this.hasBadClientCertificate = facts.hasBadClientCertificate || isExpired;
    if (facts.remoteAddress !== undefined) this.remoteAddress = facts.remoteAddress;
    if (facts.clientCertificate !== undefined && !isExpired) this.clientCertificate = facts.clientCertificate;
    if (facts.proxyCertificate !== undefined && !isExpired) this.proxyCertificate = facts.proxyCertificate;
  }

  /** The caller's `Audit-ID` where it is fit to be repeated, else a fresh one. */
  get id(): string {
    return (this.knownId ??= askedId(this.headers) ?? freshId());
  }

  get query(): URLSearchParams {
    return (this.knownQuery ??= this.rawQuery === '' ? NO_QUERY : readQuery(this.rawQuery));
  }

  get headers(): ReadonlyMap<string, readonly string[]> {
    return (this.knownHeaders ??= headerMap(this.carrier.rawHeaders));
  }

  get upgrade(): string | undefined {
    return this.carrier.upgrade;
  }

  get signal(): AbortSignal {
    return this.carrier.signal;
  }

  body(limit: number): Promise<Uint8Array> {
    return this.carrier.body(limit);
  }

  /** Lets go of what can be made again when asked for. For requests that stay for long, of which there are many at a time. */
  forgetParts(): void {
    this.knownQuery = undefined;
    this.knownHeaders = undefined;
  }

  warn(text: string): void {
    (this.carrier.warnings ??= new Warnings()).add(text);
  }

  annotate(key: string, value: string): void {
    const annotations = (this.carrier.annotations ??= new Map());
    if (!annotations.has(key)) annotations.set(key, value);
  }

  get annotations(): ReadonlyMap<string, string> {
    return this.carrier.annotations ?? NO_ANNOTATIONS;
  }
}

/** Tells those working on a request how long it may take from its arrival. */
export function allowTime(received: Received, ms: number): void {
  if (received instanceof Incoming) received.deadlineAt = received.receivedAt + ms;
}

/** Aborts `received.signal`: the server ends this request. */
export function endRequest(received: Received, reason: unknown): void {
  if (received instanceof Incoming) received.carrier.abort(reason);
}

/** Whether nobody waits for the answer any more. Cheaper than `signal.aborted`, which has to be made first. */
export const isAbandoned = (received: Received): boolean => received instanceof Incoming && received.carrier.isGone;

/** Proxies send `http://host/path`: the path begins behind the host. */
function pathStart(target: string): number {
  if (target.charCodeAt(0) === 0x2f) return 0;
  const scheme = target.indexOf('://');
  const mark = target.indexOf('?');
  if (scheme === -1 || (mark !== -1 && mark < scheme)) return 0;
  const slash = target.indexOf('/', scheme + 3);
  if (mark !== -1 && (slash === -1 || mark < slash)) return mark;
  return slash === -1 ? target.length : slash;
}

const SANE_ID = /^[\x21-\x7e]{1,64}$/;

function askedId(headers: ReadonlyMap<string, readonly string[]>): string | undefined {
  const asked = headers.get('audit-id')?.[0];
  return asked !== undefined && SANE_ID.test(asked) ? asked : undefined;
}
