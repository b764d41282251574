import { isJsonObject, type Clock, type JsonObject, type Log } from '#base';
import type { Brand } from '#api';
import type { Identity, TokenAuthenticator, TokenQuestion, User } from '#request';
import { isPassing, openWebhook, retrying, TransportFailure, type Connection } from '#transport';
import { commonAudiences, objectOf, textOf, textsOf } from '../claims.ts';
import { TokenCache } from '../token-cache.ts';

/** A server elsewhere that knows tokens. */
export interface TokenWebhookOptions {
  readonly connection: Connection;
  /** Version of the reviews that are sent. Default `v1beta1`. */
  readonly version?: 'v1' | 'v1beta1';
  /** How long an answer is believed. Default 2 minutes; 0: every request asks. */
  readonly cacheTtlMs?: number;
}

interface Surroundings {
  readonly brand: Brand;
  readonly clock: Clock;
  readonly log: Log;
  /** Those of this server. */
  readonly audiences: readonly string[];
}

const CACHE_TTL_MS = 120_000;
const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 1024 * 1024;
const RETRIES = { firstDelayMs: 500, factor: 1.5, attempts: 5 } as const;

/** What the other side said, also that it does not know the token: both are kept. */
interface Verdict {
  readonly identity: Identity | undefined;
}

/** Asks another server whose a token is. What goes wrong on the way is logged, without what was said. @spec 4.12 @spec 5.5 */
export function tokenWebhook(options: TokenWebhookOptions, { brand, clock, log, audiences: own }: Surroundings): TokenAuthenticator {
  const { connection, version = 'v1beta1', cacheTtlMs = CACHE_TTL_MS } = options;
  const webhook = openWebhook(connection, { maxAnswerBytes: MAX_ANSWER_BYTES, clock });
  const apiVersion = `${brand.group('authentication')}/${version}`;
  const verdicts = new TokenCache<Verdict>(clock);
  const ask = async (token: string, wanted: readonly string[]): Promise<Verdict> => {
    const review = { apiVersion, kind: 'TokenReview', metadata: { creationTimestamp: null }, spec: { token, audiences: wanted }, status: { user: {} } };
    const call = (): Promise<unknown> => webhook.call(review, { timeoutMs: TIMEOUT_MS });
    const answer = await retrying(call, { clock, ...RETRIES, isPassing });
    return { identity: readAnswer(answer, apiVersion, wanted, own) };
  };
  return {
    name: 'token-webhook',
    async authenticateToken(token, { audiences }: TokenQuestion) {
      try {
        const verdict = await verdicts.remember(verdicts.keyOf(token, audiences), () => ask(token, audiences), cacheTtlMs);
        return verdict?.identity;
      } catch (cause) {
        // The message may repeat what the other side said, and that may be the token.
        const why = cause instanceof TransportFailure ? cause.code : cause instanceof UselessAnswer ? cause.message : String(cause);
        log.error('the token webhook gives no answer', { server: connection.server, why });
        return undefined;
      }
    },
    close: () => webhook.close(),
  };
}

class UselessAnswer extends Error {}

/** undefined: the other side does not know the token, or knows it for other audiences. Throws `UselessAnswer`. */
function readAnswer(answer: unknown, apiVersion: string, wanted: readonly string[], own: readonly string[]): Identity | undefined {
  if (!isJsonObject(answer) || answer['apiVersion'] !== apiVersion) throw new UselessAnswer(`the answer is no ${apiVersion} TokenReview`);
  const status = objectOf(answer, 'status') ?? {};
  if (status['authenticated'] !== true) return undefined;
  const user = readUser(objectOf(status, 'user') ?? {});
  if (user === undefined) throw new UselessAnswer('the answer does not say who the user is');
  const offered = textsOf(status, 'audiences') ?? [];
  const audiences = commonAudiences(wanted, offered.length === 0 ? own : offered);
  return audiences.length === 0 ? undefined : { user, audiences };
}

function readUser(user: JsonObject): User | undefined {
  const name = textOf(user, 'username');
  const uid = textOf(user, 'uid');
  const extra = readExtra(objectOf(user, 'extra') ?? {});
  if (name === undefined) return undefined;
  return { name, groups: textsOf(user, 'groups') ?? [], ...(uid === undefined ? {} : { uid }), ...(extra === undefined ? {} : { extra }) };
}

/** What is no list of texts is left out. */
function readExtra(extra: JsonObject): User['extra'] {
  const lists = Object.keys(extra).flatMap((key) => {
    const values = textsOf(extra, key);
    return values === undefined ? [] : [[key, values] as const];
  });
  return lists.length === 0 ? undefined : Object.fromEntries(lists);
}
