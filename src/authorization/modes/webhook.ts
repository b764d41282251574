import { createHash } from 'node:crypto';
import { failureText, GenerationCache, isJsonObject, steady, type Clock, type Log } from '#base';
import type { Brand } from '#api';
import type { Answer, Authorizer, Question } from '#request';
import { isPassing, openWebhook, retrying, type Connection } from '#transport';

/** A server elsewhere that decides. */
export interface AuthorizationWebhookOptions {
  readonly connection: Connection;
  /** Version of the reviews that are sent. Default `v1beta1`. */
  readonly version?: 'v1' | 'v1beta1';
  /** How long a yes is believed. Default 5 minutes; 0: every request asks. */
  readonly authorizedTtlMs?: number;
  /** How long everything else is believed. Default 30 seconds; 0: every request asks. */
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
const MAX_KEPT = 8192;
/** Answers to longer questions are not kept: those who ask choose how long they are. */
const MAX_KEPT_QUESTION = 10_000;
const RETRIES = { firstDelayMs: 500, factor: 1.5, attempts: 5 } as const;
const NO_ANSWER: Answer = { verdict: 'noOpinion', reason: '', failure: 'the authorization webhook gives no answer' };

/**
 * Asks another server. What goes wrong on the way is logged and is no opinion but a failure: the next module is asked, and where none allows
 * it either, nobody knows. Answers are kept under a hash of the question, in which there is no credential.
 * @spec 4.12 @spec 5.1
 */
export function authorizationWebhook(options: AuthorizationWebhookOptions, { brand, clock, log }: Surroundings): Authorizer & { close(): void } {
  const { connection, version = 'v1beta1', authorizedTtlMs = AUTHORIZED_TTL_MS, unauthorizedTtlMs = UNAUTHORIZED_TTL_MS } = options;
  const webhook = openWebhook(connection, { maxAnswerBytes: MAX_ANSWER_BYTES, clock });
  const apiVersion = `${brand.group('authorization')}/${version}`;
  const time = steady(clock);
  const kept = new GenerationCache<string, Kept>(MAX_KEPT * 2, () => 1);
  const ask = async (spec: object, signal: AbortSignal): Promise<Answer> => {
    const review = { kind: 'SubjectAccessReview', apiVersion, metadata: { creationTimestamp: null }, spec, status: { allowed: false } };
    const call = (): Promise<unknown> => webhook.call(review, { timeoutMs: TIMEOUT_MS, signal });
    return readAnswer(await retrying(call, { clock, ...RETRIES, isPassing, signal }), apiVersion);
  };
  return {
    async authorize(question, signal) {
      const spec = specOf(question, version);
      const text = JSON.stringify(spec);
      const key = createHash('sha256').update(text).digest('base64');
      const known = kept.get(key);
      if (known !== undefined && time.nowMs() < known.untilMs) return known.answer;
      try {
        const answer = await ask(spec, signal);
        const lifeMs = answer.verdict === 'allow' ? authorizedTtlMs : unauthorizedTtlMs;
        if (lifeMs > 0 && text.length <= MAX_KEPT_QUESTION) kept.set(key, { answer, untilMs: time.nowMs() + lifeMs });
        return answer;
      } catch (cause) {
        const why = failureText(cause);
        if (!signal.aborted) log.error('the authorization webhook gives no answer', { server: connection.server, why });
        return NO_ANSWER;
      }
    },
    rulesOf: () => ({ rules: [], isIncomplete: true, failure: 'what the authorization webhook allows cannot be listed' }),
    close: () => webhook.close(),
  };
}

/** The question as a review asks it. One version calls the groups by another name. */
function specOf({ user, isResourceRequest, ...asked }: Question, version: 'v1' | 'v1beta1'): object {
  const { path, verb, namespace, group, version: served, resource, subresource, name } = asked;
  const { groups, extra, uid } = user;
  const what = isResourceRequest
    ? { resourceAttributes: given({ namespace, verb, group, version: served, resource, subresource, name }) }
    : { nonResourceAttributes: given({ path, verb }) };
  return {
    ...what,
    ...given({ user: user.name }),
    ...(groups.length === 0 ? {} : { [version === 'v1' ? 'groups' : 'group']: groups }),
    ...(extra === undefined ? {} : { extra }),
    ...given({ uid: uid ?? '' }),
  };
}

const given = (texts: Readonly<Record<string, string>>): object => Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));

/** A no is a no, also next to a yes, which makes no sense. Throws an `Error` for an answer that says nothing. */
function readAnswer(answer: unknown, apiVersion: string): Answer {
  if (!isJsonObject(answer) || answer['apiVersion'] !== apiVersion) throw new Error(`the answer is no ${apiVersion} SubjectAccessReview`);
  const status = answer['status'];
  if (!isJsonObject(status)) throw new Error('the answer has no status');
  const { allowed = false, denied = false, reason = '' } = status;
  if (typeof allowed !== 'boolean' || typeof denied !== 'boolean' || typeof reason !== 'string') throw new Error('the status has members of other types');
  if (denied) return { verdict: 'deny', reason, ...(allowed ? { failure: 'the authorization webhook answers yes and no' } : {}) };
  return { verdict: allowed ? 'allow' : 'noOpinion', reason };
}
