import { steady, type Clock } from '#base';
import type { ClientCertificate, Received, RequestInfo, User } from '#request';
import { whenInTurn } from './body-turn.ts';
import { freshId } from './fresh-id.ts';
import { headerMap } from './header-map.ts';
import { readQuery } from './query.ts';
import { Warnings } from './warnings.ts';

/**
 * What a request arrived on: an HTTP/1.1 exchange, an HTTP/2 stream or a call in the same process. Holds the state that all views of the request
 * share.
 */
export abstract class RequestSource {
  warnings: Warnings | undefined = undefined;
  annotations: Map<string, string> | undefined = undefined;
  /** See `Received.upgrade`. */
  readonly upgrade: string | undefined = undefined;
  #controller: AbortController | undefined = undefined;
  #body: Promise<Uint8Array> | undefined = undefined;

  /** Name, value, name, value, … as received. */
  abstract readonly rawHeaders: readonly string[];
  /** The client has disconnected, or the stream was reset. */
  abstract readonly isGone: boolean;
  protected abstract readBody(limit: number): Promise<Uint8Array>;
  /** Calls `run` once when the client disconnects before the response is complete. */
  abstract onGone(run: () => void): void;

  /** Created on first use: most requests never need it. */
  get signal(): AbortSignal {
    return this.#control().signal;
  }

  get isEnded(): boolean {
    return this.#controller === undefined ? this.isGone : this.#controller.signal.aborted;
  }

  /** Aborts `signal`: all work on the request should stop. */
  abort(reason: unknown): void {
    this.#control().abort(reason);
  }

  /** The body is read once, and handed out when there is a turn for it; later callers get the same bytes. */
  body(limit: number): Promise<Uint8Array> {
    this.#body ??= this.readBody(limit).then(whenInTurn);
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
  /** The certificate was accepted by authorities that were replaced since, and is not any more: the connection is to end with the request. */
  readonly hasLostTrust?: true;
  /** Why `hasBadClientCertificate`, in the words of OpenSSL. */
  readonly certificateFault?: string;
  /** When the client certificate expires: the connection may last longer. Milliseconds since the epoch. */
  readonly certificateEndsAtMs?: number;
}

export interface IncomingOptions {
  readonly method: string;
  /** The request target as it stood in the request line. */
  readonly target: string;
  readonly source: RequestSource;
  readonly facts: ConnectionFacts;
  readonly clock: Clock;
}

/** The query of all requests without one; a query is never modified. Its look-ups are frequent, and return at once. */
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

/** OpenSSL's word for it. */
const EXPIRED = 'CERT_HAS_EXPIRED';
const NO_QUERY = new NoQuery();
const NO_ANNOTATIONS: ReadonlyMap<string, string> = new Map();

/**
 * The one implementation of `Received`. Parts that cost something are made on first use. Later stages add to this very object: its fields exist from
 * the start, so that all requests have one hidden class.
 */
export class Incoming implements Received {
  readonly method: string;
  readonly path: string;
  readonly receivedAt: number;
  readonly arrivedAtMs: number;
  readonly remoteAddress?: string;
  readonly clientCertificate?: ClientCertificate;
  readonly proxyCertificate?: ClientCertificate;
  readonly hasBadClientCertificate: boolean;
  readonly certificateEndsAtMs?: number;
  readonly certificateFault?: string;
  readonly info?: RequestInfo;
  readonly user?: User;
  readonly source: RequestSource;
  readonly rawQuery: string;
  deadlineAt = Infinity;
  webhooksMs = 0;
  private knownId: string | undefined = undefined;
  private knownQuery: URLSearchParams | undefined = undefined;
  private knownHeaders: ReadonlyMap<string, readonly string[]> | undefined = undefined;

  constructor({ method, target, source, facts, clock }: IncomingOptions) {
    const start = pathStart(target);
    const mark = target.indexOf('?', start);
    const path = mark === -1 ? target.slice(start) : target.slice(start, mark);
    this.method = method;
    this.path = path.charCodeAt(0) === 0x2f ? path : `/${path}`;
    this.rawQuery = mark === -1 ? '' : target.slice(mark + 1);
    this.source = source;
    this.receivedAt = clock.nowMs();
    this.arrivedAtMs = steady(clock).nowMs();
    const isExpired = this.receivedAt > (facts.certificateEndsAtMs ?? Infinity);
    this.hasBadClientCertificate = facts.hasBadClientCertificate || isExpired;
    if (facts.certificateEndsAtMs !== undefined) this.certificateEndsAtMs = facts.certificateEndsAtMs;
    const fault = isExpired ? EXPIRED : facts.certificateFault;
    if (fault !== undefined) this.certificateFault = fault;
    if (facts.remoteAddress !== undefined) this.remoteAddress = facts.remoteAddress;
    if (facts.clientCertificate !== undefined && !isExpired) this.clientCertificate = facts.clientCertificate;
    if (facts.proxyCertificate !== undefined && !isExpired) this.proxyCertificate = facts.proxyCertificate;
  }

  /** The client's `Audit-ID` where it is well-formed, else a new one. */
  get id(): string {
    return (this.knownId ??= requestedId(this.headers) ?? freshId());
  }

  get query(): URLSearchParams {
    return (this.knownQuery ??= this.rawQuery === '' ? NO_QUERY : readQuery(this.rawQuery));
  }

  get headers(): ReadonlyMap<string, readonly string[]> {
    return (this.knownHeaders ??= headerMap(this.source.rawHeaders));
  }

  get upgrade(): string | undefined {
    return this.source.upgrade;
  }

  get signal(): AbortSignal {
    return this.source.signal;
  }

  get isEnded(): boolean {
    return this.source.isEnded;
  }

  body(limit: number): Promise<Uint8Array> {
    return this.source.body(limit);
  }

  bodyToHandOn(limit: number): Promise<Uint8Array> {
    return this.source.body(limit);
  }

  /** Drops what can be parsed again when needed, for long-running requests, of which there are many at a time. */
  forgetParts(): void {
    this.knownQuery = undefined;
    this.knownHeaders = undefined;
  }

  warn(text: string): void {
    (this.source.warnings ??= new Warnings()).add(text);
  }

  annotate(key: string, value: string): void {
    const annotations = (this.source.annotations ??= new Map());
    if (!annotations.has(key)) annotations.set(key, value);
  }

  get annotations(): ReadonlyMap<string, string> {
    return this.source.annotations ?? NO_ANNOTATIONS;
  }

  waitedForWebhooks(ms: number): void {
    this.webhooksMs += ms;
  }
}

/** Sets the deadline of a request, `ms` after its arrival. */
export function allowTime(received: Received, ms: number): void {
  if (received instanceof Incoming) received.deadlineAt = received.arrivedAtMs + ms;
}

/** Aborts `received.signal`: the server ends this request. */
export function endRequest(received: Received, reason: unknown): void {
  if (received instanceof Incoming) received.source.abort(reason);
}

/** Whether the client has disconnected. Cheaper than `signal.aborted`, which has to create the signal first. */
export const isAbandoned = (received: Received): boolean => received instanceof Incoming && received.source.isGone;

/** Where the path begins: clients of a proxy send `http://host/path`. */
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

function requestedId(headers: ReadonlyMap<string, readonly string[]>): string | undefined {
  const asked = headers.get('audit-id')?.[0];
  return asked !== undefined && SANE_ID.test(asked) ? asked : undefined;
}
