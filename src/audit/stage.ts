import { ApiError, internalError, isRefusal, UnforeseenFailure } from '#errors';
import { isLongRunning, wholeReply, type Identified, type Reply, type Routed, type Stage, type StreamReply, type User } from '#request';
import type { EventStatus } from './event.ts';
import type { JudgeAudit } from './policy.ts';
import { AuditRecord, type Recorder } from './record.ts';

/** The audit stages of the handler chain. */
export interface AuditStages {
  /** Around deadlines and authentication: records requests that are refused before it is known who asks. */
  readonly unknownCallers: Stage<Routed>;
  /** Behind authentication, before authorization. */
  readonly requests: Stage<Identified>;
  /** Inside the stages that turn errors into responses: recognizes unexpected errors. */
  readonly panics: Stage<Identified>;
  /** Records the decision of authorization. */
  decided(request: Identified, isAllowed: boolean | undefined, reason: string): void;
}

export interface AuditOptions extends Recorder {
  readonly judge: JudgeAudit;
}

/**
 * Audits every request that the policy selects: when it arrives, when the response to a long-running one begins, be it a refusal, when it completes.
 * @spec 6
 */
export function createAuditStages(options: AuditOptions): AuditStages {
  const records = new WeakMap<Routed, AuditRecord>();
  const names = { decision: `${options.brand.group('authorization')}/decision`, reason: `${options.brand.group('authorization')}/reason` };

  const open = (request: Routed, user: User | undefined): AuditRecord | undefined => {
    const judgement = options.judge(request.info, user);
    options.observer.level(judgement.level);
    return judgement.level === 'None' ? undefined : new AuditRecord(options, request, user, judgement);
  };

  return {
    async unknownCallers(request, next) {
      try {
        return await next(request);
      } catch (thrown) {
        const status = isKnown(request) ? undefined : refusalOf(thrown, request);
        if (status !== undefined) {
          const record = open(request, undefined);
          record?.fails(status);
          await record?.started();
        }
        throw thrown;
      }
    },

    async requests(request, next) {
      const record = open(request, request.user);
      if (record === undefined) return next(request);
      records.set(request, record);
      if (!(await record.received())) {
        options.observer.rejected();
        throw internalError('the audit event of this request could not be stored');
      }
      let reply: Reply;
      try {
        reply = await next(request);
        if ('pieces' in reply && record.tellsAnswer(reply.status)) reply = await wholeReply(reply);
      } catch (thrown) {
        record.fails(failureOf(thrown));
        if (isUnforeseen(thrown, request)) record.panicked();
        await record.complete();
        throw thrown;
      }
      record.answers(reply);
      if (isLongRunning(request.info)) await record.started();
      if ('stream' in reply) return following(reply, record, request);
      await record.complete();
      return reply;
    },

    async panics(request, next) {
      try {
        return await next(request);
      } catch (thrown) {
        if (isUnforeseen(thrown, request)) records.get(request)?.panicked();
        throw thrown;
      }
    },

    decided(request, isAllowed, reason) {
      if (!records.has(request)) return;
      if (isAllowed !== undefined) request.annotate(names.decision, isAllowed ? 'allow' : 'forbid');
      request.annotate(names.reason, reason);
    },
  };
}

/** The record of a stream completes when the stream ends. */
async function following(reply: StreamReply, record: AuditRecord, request: Identified): Promise<Reply> {
  if (request.method === 'HEAD') {
    await record.complete();
    return reply;
  }
  const end = (): void => void record.complete();
  // A client that disconnects before the response begins never starts the stream.
  if (request.signal.aborted) end();
  else request.signal.addEventListener('abort', end, { once: true });
  const { stream, tunnel } = reply;
  return {
    ...reply,
    stream: (out) => stream(out).finally(end),
    ...(tunnel === undefined ? {} : { tunnel: (client) => tunnel(client).finally(end) }),
  };
}

/** Work that stops because its client disconnected is no unexpected failure. */
const isUnforeseen = (thrown: unknown, { signal }: Routed): boolean => (!(thrown instanceof ApiError) || thrown instanceof UnforeseenFailure) && !signal.aborted;

const isKnown = (request: Routed): boolean => (request as { user?: User }).user !== undefined;

/** The refusal of a request by somebody who is not known yet: for its credentials, or for what it asks of every path. Undefined: it failed otherwise. */
function refusalOf(thrown: unknown, request: Routed): EventStatus | undefined {
  if (isRefusal(thrown, 'Unauthorized')) return { metadata: {}, status: 'Failure', message: `Authentication failed, ${attempted(request)}`, reason: 'Unauthorized', code: 401 };
  return isRefusal(thrown, 'BadRequest') ? failureOf(thrown) : undefined;
}

const failureOf = (thrown: unknown): { readonly metadata: object; readonly status: string; readonly reason: string; readonly code: number } => {
  const { reason, code } = (thrown instanceof ApiError ? thrown : internalError('')).toStatus();
  return { metadata: {}, status: 'Failure', reason: reason ?? 'InternalError', code: code ?? 500 };
};

/** The kinds of credentials that a request had, never their values. */
function attempted(request: Routed): string {
  const scheme = (request.headers.get('authorization')?.[0] ?? '').split(' ', 1)[0]?.toLowerCase() ?? '';
  const kinds = [
    ...(scheme === 'basic' || scheme === 'bearer' ? [scheme] : []),
    ...(request.query.has('access_token') ? ['access_token'] : []),
    ...(request.clientCertificate !== undefined || request.hasBadClientCertificate === true ? ['x509'] : []),
  ];
  return kinds.length === 0 ? 'no credentials provided' : `attempted: ${kinds.join(', ')}`;
}
