import { isJsonObject, isTexts, memberOf, type Clock, type JsonObject, type Log } from '#base';
import type { Brand } from '#api';
import type { Identity, TokenAuthenticator, TokenQuestion, User } from '#request';
import { isPassing, isReviewOf, openWebhook, retrying, TransportFailure, type Connection } from '#transport';
import { commonAudiences, objectOf, textOf } from '../claims.ts';
import { TokenCache } from '../token-cache.ts';

/** Options of the remote server that reviews tokens. */
export interface TokenWebhookOptions {
  readonly connection: Connection;
  /** API version of the `TokenReview` requests. Default `v1beta1`. */
  readonly version?: 'v1' | 'v1beta1';
  /** How long a response is cached, negative ones included. Default 2 minutes; 0: no cache. */
  readonly cacheTtlMs?: number;
}

interface Surroundings {
  readonly brand: Brand;
  readonly clock: Clock;
  readonly log: Log;
  /** Audiences of this server. */
  readonly audiences: readonly string[];
}

const CACHE_TTL_MS = 120_000;
const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 1024 * 1024;
const RETRIES = { firstDelayMs: 500, factor: 1.5, attempts: 5 } as const;

/** The response of the webhook. A token it does not recognize is a verdict too, so that it is cached. */
interface Verdict {
  readonly identity: Identity | undefined;
  /** Why it does not accept the token, in its words. */
  readonly why?: string;
}

/** Authenticates tokens by a `TokenReview` webhook. Failures are logged without the response and count as an unknown token. @spec 4.12 @spec 5.5 */
export function tokenWebhook(options: TokenWebhookOptions, { brand, clock, log, audiences: own }: Surroundings): TokenAuthenticator {
  const { connection, version = 'v1beta1', cacheTtlMs = CACHE_TTL_MS } = options;
  const webhook = openWebhook(connection, { maxAnswerBytes: MAX_ANSWER_BYTES, mayBeCalledTwice: true, clock });
  const apiVersion = `${brand.group('authentication')}/${version}`;
  const verdicts = new TokenCache<Verdict>(clock, () => cacheTtlMs);
  const closing = new AbortController();
  const ask = async (token: string, wanted: readonly string[]): Promise<Verdict> => {
    const review = { apiVersion, kind: 'TokenReview', metadata: { creationTimestamp: null }, spec: { token, audiences: wanted }, status: { user: {} } };
    const call = (): Promise<unknown> => webhook.call(review, { timeoutMs: TIMEOUT_MS, signal: closing.signal });
    const answer = await retrying(call, { clock, ...RETRIES, isPassing, signal: closing.signal });
    return readAnswer(answer, apiVersion, wanted, own);
  };
  return {
    name: 'token-webhook',
    async authenticateToken(token, question: TokenQuestion) {
      const { audiences } = question;
      try {
        const verdict = await verdicts.remember(verdicts.keyOf(token, audiences), () => ask(token, audiences));
        if (verdict.why !== undefined) question.refuse?.(verdict.why, REFUSED);
        return verdict.identity;
      } catch (cause) {
        if (closing.signal.aborted) return undefined;
        // The message of other errors may quote the response, which may contain the token.
        const why = cause instanceof TransportFailure ? cause.code : cause instanceof UselessAnswer ? cause.message : String(cause);
        log.error('the token webhook gives no answer', { server: connection.server, why });
        return undefined;
      }
    },
    close() {
      closing.abort();
      webhook.close();
    },
  };
}

/** What the log is told of a token that the webhook refuses: its own words may quote the token. */
const REFUSED = 'the token webhook does not accept it';

class UselessAnswer extends Error {}

/** Without an identity where the token is unknown to the webhook, or valid for other audiences only. Throws `UselessAnswer`. */
function readAnswer(answer: unknown, apiVersion: string, wanted: readonly string[], own: readonly string[]): Verdict {
  if (!isReviewOf(answer, { apiVersion, kind: 'TokenReview' })) throw new UselessAnswer(`the answer is no ${apiVersion} TokenReview`);
  const status = objectOf(answer, 'status') ?? {};
  if (status['authenticated'] !== true) {
    const why = textOf(status, 'error');
    return { identity: undefined, ...(why === undefined ? {} : { why }) };
  }
  const user = readUser(objectOf(status, 'user') ?? {});
  const offered = textsIn(status, 'audiences');
  const audiences = commonAudiences(wanted, offered.length === 0 ? own : offered);
  return { identity: audiences.length === 0 ? undefined : { user, audiences } };
}

function readUser(user: JsonObject): User {
  const name = textOf(user, 'username');
  const uid = textOf(user, 'uid');
  const extra = memberOf(user, 'extra') ?? {};
  if (name === undefined) throw new UselessAnswer('the answer does not say who the user is');
  if (!isJsonObject(extra)) throw new UselessAnswer('extra of the answer is no object');
  const lists = Object.keys(extra).map((key) => [key, textsIn(extra, key)] as const);
  return { name, groups: textsIn(user, 'groups'), ...(uid === undefined ? {} : { uid }), ...(lists.length === 0 ? {} : { extra: Object.fromEntries(lists) }) };
}

/** A list of texts; none where it is absent. Throws `UselessAnswer` for anything else. */
function textsIn(object: JsonObject, name: string): readonly string[] {
  const list = memberOf(object, name) ?? [];
  if (!isTexts(list)) throw new UselessAnswer(`${name} of the answer is no list of texts`);
  return list;
}
