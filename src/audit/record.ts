import type { Clock } from '#base';
import type { Brand } from '#api';
import { headerText, replyHeader, uriOf, type BodyReply, type Reply, type Routed, type User } from '#request';
import { keptAnnotations } from './annotations.ts';
import { buildEvent, completedBy, referenceOf, shownUserAgent, type EventHead, type EventStatus, type ObjectReference } from './event.ts';
import { reaches, type AuditStage } from './level.ts';
import { dropManagedFields, type ReadObject } from './objects.ts';
import type { Judgement } from './policy.ts';
import type { AuditObserver, Backend } from './sink.ts';
import { sourceIps } from './source-ips.ts';
import { statusOf } from './status.ts';

/** What all records share. */
export interface Recorder {
  readonly brand: Brand;
  readonly clock: Clock;
  readonly backends: readonly Backend[];
  readonly observer: AuditObserver;
  readonly readObject: ReadObject;
}

/** Verbs whose body is a whole object, which has the name where the path does not. */
const NAMING_VERBS: ReadonlySet<string> = new Set(['create', 'update']);

/** One request under audit, from its arrival to its end. */
export class AuditRecord {
  readonly #recorder: Recorder;
  readonly #request: Routed;
  readonly #judgement: Judgement;
  readonly #head: EventHead;
  readonly #user: User | undefined;
  #reference: ObjectReference | undefined;
  #status: EventStatus | undefined;
  #requestObject: unknown;
  #responseObject: unknown;
  /** Of the bodies whose objects are kept. */
  #bodyBytes = 0;
  #sent: { readonly bytes: Uint8Array; readonly contentType: string | undefined } | undefined;
  #isComplete = false;
  #hasPanicked = false;

  constructor(recorder: Recorder, request: Routed, user: User | undefined, judgement: Judgement) {
    this.#recorder = recorder;
    this.#request = request;
    this.#judgement = judgement;
    this.#user = user;
    this.#reference = referenceOf(request.info);
    this.#head = {
      level: judgement.level,
      id: request.id,
      requestURI: uriOf(request),
      verb: request.info.verb,
      user,
      sourceIPs: sourceIps(request),
      userAgent: shownUserAgent(headerText(request.headers, 'user-agent')),
      receivedAtMs: request.receivedAt,
    };
    if (this.#tellsRequest() || this.#isNamedByBody()) this.#listenToBody();
  }

  received(): boolean | Promise<boolean> {
    return this.#emit('RequestReceived');
  }

  /** The request failed with an unexpected error. */
  panicked(): void {
    this.#hasPanicked = true;
  }

  /** Records the response that is about to be sent. */
  answers(reply: Reply): void {
    this.#readRequest();
    const isReadable = 'body' in reply;
    const object = isReadable && this.tellsAnswer(reply.status) ? this.#readAnswer(reply) : undefined;
    this.#status = statusOf(reply.status, object, this.#judgement.level);
    if (!reaches(this.#judgement.level, 'RequestResponse') || !this.#request.info.isResourceRequest) return;
    this.#responseObject = this.#judgement.omitManagedFields ? dropManagedFields(object) : object;
  }

  /** Records a failure after which no response follows. */
  fails(status: EventStatus): void {
    this.#readRequest();
    this.#status = status;
  }

  started(): boolean | Promise<boolean> {
    return this.#emit('ResponseStarted');
  }

  /** Generates the final event, once however often it is called. */
  complete(): boolean | Promise<boolean> {
    if (this.#isComplete) return true;
    this.#isComplete = true;
    return this.#emit(this.#hasPanicked ? 'Panic' : 'ResponseComplete');
  }

  /**
   * Captures the body only when a handler reads it anyway: audit never makes a client send more than it would have. What a handler hands on is for
   * somebody else.
   */
  #listenToBody(): void {
    const request = this.#request;
    const read = request.body.bind(request);
    // Read before impersonation, which removes headers.
    const contentType = request.headers.get('content-type')?.[0];
    const body = async (limit: number): Promise<Uint8Array> => {
      const bytes = await read(limit);
      this.#sent = { bytes, contentType };
      return bytes;
    };
    Object.defineProperty(request, 'body', { value: body });
  }

  #readRequest(): void {
    if (this.#sent === undefined) return;
    const { bytes, contentType } = this.#sent;
    const object = this.#recorder.readObject(contentType, bytes);
    this.#sent = undefined;
    if (this.#reference !== undefined && this.#isNamedByBody()) this.#reference = completedBy(this.#reference, object);
    if (!this.#tellsRequest()) return;
    this.#bodyBytes += bytes.length;
    this.#requestObject = this.#judgement.omitManagedFields ? dropManagedFields(object) : object;
  }

  /** Whether the event contains the request object. */
  #tellsRequest(): boolean {
    return reaches(this.#judgement.level, 'Request') && this.#request.info.isResourceRequest;
  }

  /** The name in the body is recorded at every level. */
  #isNamedByBody(): boolean {
    const { info } = this.#request;
    return NAMING_VERBS.has(info.verb) && info.isResourceRequest;
  }

  /**
   * Whether the event contains the response object for this status. Failures, and the Status of a deletion, are in the event's own status. The deletion of
   * a collection is answered with what was deleted, which may be long.
   */
  tellsAnswer(status: number): boolean {
    const { info } = this.#request;
    if (!info.isResourceRequest) return status >= 400;
    return reaches(this.#judgement.level, 'RequestResponse') || status >= 400 || info.verb === 'delete';
  }

  #readAnswer(reply: BodyReply): unknown {
    const bytes = reply.body instanceof Uint8Array ? reply.body : Buffer.concat(reply.body);
    if (reaches(this.#judgement.level, 'Request')) this.#bodyBytes += bytes.length;
    return this.#recorder.readObject(replyHeader(reply, 'content-type') ?? 'text/plain', bytes);
  }

  #emit(stage: AuditStage): boolean | Promise<boolean> {
    const { brand, clock, backends, observer } = this.#recorder;
    if (this.#judgement.omitStages.has(stage)) return true;
    const { user } = this.#request as { user?: User };
    const event = buildEvent(
      this.#head,
      {
        stage,
        // However long it took to find out who asks.
        atMs: stage === 'RequestReceived' ? this.#head.receivedAtMs : clock.nowMs(),
        // Impersonation has replaced the authenticated user.
        impersonated: user === this.#user ? undefined : user,
        objectRef: this.#reference,
        responseStatus: this.#status,
        requestObject: this.#requestObject,
        responseObject: this.#responseObject,
        annotations: keptAnnotations(this.#request.annotations, this.#judgement.level, brand),
      },
      brand,
    );
    observer.event();
    const bytes = this.#bodyBytes + event.requestURI.length + lengthOf(event.annotations);
    return allTrue(backends.map((backend) => backend.record(event, bytes)));
  }
}

const lengthOf = (annotations: Readonly<Record<string, string>> = {}): number => Object.values(annotations).reduce((sum, { length }) => sum + length, 0);

function allTrue(verdicts: readonly (boolean | Promise<boolean>)[]): boolean | Promise<boolean> {
  if (verdicts.every((verdict) => typeof verdict === 'boolean')) return verdicts.every(Boolean);
  return Promise.all(verdicts.map(async (verdict) => verdict)).then((known) => known.every(Boolean));
}
