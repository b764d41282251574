import { createHash } from 'node:crypto';
import { failureText, GenerationCache, isJsonObject, steady, type Clock, type Log } from '#base';
import type { Brand } from '#api';
import type { Answer, Authorizer, Question } from '#request';
import { isPassing, isReviewOf, openWebhook, retrying, type Connection } from '#transport';

/** Options of the remote server that authorizes. */
export interface AuthorizationWebhookOptions {
  readonly connection: Connection;
  /** API version of the `SubjectAccessReview` requests. Default `v1beta1`. */
  readonly version?: 'v1' | 'v1beta1';
  /** How long an `allow` is cached. Default 5 minutes; 0: no cache. */
  readonly authorizedTtlMs?: number;
  /** How long every other answer is cached. Default 30 seconds; 0: no cache. */
  readonly unauthorizedTtlMs?: number;
}

interface Surroundings {
  readonly brand: Brand;
  readonly clock: Clock;
  readonly log: Log;
}

interface Kept {
  readonly answer: Answer;
  readonly untilMs: number;
}

const AUTHORIZED_TTL_MS = 300_000;
const UNAUTHORIZED_TTL_MS = 30_000;
const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 1024 * 1024;
/** In characters. */
const MAX_KEPT = 8 * 1024 * 1024;
/** Overhead of a cached answer beside its reason. */
const WEIGHT_OF_ANSWER = 512;
/** Answers to questions whose attributes have as many characters are not cached: clients decide how long those are. */
const MAX_ASKED = 10_000;
const RETRIES = { firstDelayMs: 500, factor: 1.5, attempts: 5 } as const;
const NO_ANSWER: Answer = { verdict: 'noOpinion', reason: '', failure: 'the authorization webhook gives no answer' };

/**
 * Authorizes by a `SubjectAccessReview` webhook. A failed call is logged and counts as no opinion with a failure: the next module is asked, and
 * where none allows the request, its authorization has failed. Answers are cached under a hash of the question, which contains no credential.
 * @spec 4.12 @spec 5.1
 */
export function authorizationWebhook(options: AuthorizationWebhookOptions, { brand, clock, log }: Surroundings): Authorizer & { close(): void } {
  const { connection, version = 'v1beta1', authorizedTtlMs = AUTHORIZED_TTL_MS, unauthorizedTtlMs = UNAUTHORIZED_TTL_MS } = options;
  const webhook = openWebhook(connection, { maxAnswerBytes: MAX_ANSWER_BYTES, mayBeCalledTwice: true, clock });
  const apiVersion = `${brand.group('authorization')}/${version}`;
  const time = steady(clock);
  const kept = new GenerationCache<string, Kept>(MAX_KEPT, ({ answer }) => WEIGHT_OF_ANSWER + answer.reason.length);
  const ask = async (spec: object, signal: AbortSignal): Promise<Answer> => {
    const review = { kind: 'SubjectAccessReview', apiVersion, metadata: { creationTimestamp: null }, spec, status: { allowed: false } };
    const call = (): Promise<unknown> => webhook.call(review, { timeoutMs: TIMEOUT_MS, signal });
    return readAnswer(await retrying(call, { clock, ...RETRIES, isPassing, signal }), apiVersion);
  };
  return {
    async authorize(question, signal) {
      const asked = attributesOf(question);
      const spec = specOf(question, asked, version);
      const key = createHash('sha256').update(JSON.stringify(spec)).digest('base64');
      const known = kept.get(key);
      if (known !== undefined && time.nowMs() < known.untilMs) return known.answer;
      try {
        const answer = await ask(spec, signal);
        const lifeMs = answer.verdict === 'allow' ? authorizedTtlMs : unauthorizedTtlMs;
        if (lifeMs > 0 && lengthOf(asked) < MAX_ASKED) kept.set(key, { answer, untilMs: time.nowMs() + lifeMs });
        return answer;
      } catch (cause) {
        const why = failureText(cause);
        if (!signal.aborted) log.error('the authorization webhook gives no answer', { server: connection.server, why });
        return NO_ANSWER;
      }
    },
    rulesOf: () => ({ rules: [], isIncomplete: true, failure: 'webhook authorizer does not support user rule resolution' }),
    close: () => webhook.close(),
  };
}

/** The `spec` of the review; `v1beta1` spells `groups` as `group`. */
function specOf({ user, isResourceRequest }: Question, asked: Texts, version: 'v1' | 'v1beta1'): object {
  const { groups, extra, uid } = user;
  return {
    [isResourceRequest ? 'resourceAttributes' : 'nonResourceAttributes']: asked,
    ...given({ user: user.name }),
    ...(groups.length === 0 ? {} : { [version === 'v1' ? 'groups' : 'group']: groups }),
    ...(extra === undefined ? {} : { extra }),
    ...given({ uid: uid ?? '' }),
  };
}

type Texts = Readonly<Record<string, string>>;

/** What somebody wants to do, and to what. */
function attributesOf({ isResourceRequest, path, verb, namespace, group, version, resource, subresource, name }: Question): Texts {
  return given(isResourceRequest ? { namespace, verb, group, version, resource, subresource, name } : { path, verb });
}

const lengthOf = (texts: Texts): number => Object.values(texts).reduce((sum, { length }) => sum + length, 0);

const given = (texts: Texts): Texts => Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));

/** `denied` wins over a contradictory `allowed`; a member that is null is as one that is absent. Throws an `Error` for a malformed response. */
function readAnswer(answer: unknown, apiVersion: string): Answer {
  if (!isReviewOf(answer, { apiVersion, kind: 'SubjectAccessReview' })) throw new Error(`the answer is no ${apiVersion} SubjectAccessReview`);
  const status = answer['status'];
  if (!isJsonObject(status)) throw new Error('the answer has no status');
  const [allowed, denied, reason] = [status['allowed'] ?? false, status['denied'] ?? false, status['reason'] ?? ''];
  if (typeof allowed !== 'boolean' || typeof denied !== 'boolean' || typeof reason !== 'string') throw new Error('the status has members of other types');
  if (denied) return { verdict: 'deny', reason, ...(allowed ? { failure: 'webhook subject access review returned both allow and deny response' } : {}) };
  return { verdict: allowed ? 'allow' : 'noOpinion', reason };
}
