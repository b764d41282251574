import type { Clock } from '#base';
import type { Brand, ObjectAccess } from '#api';
import type { Secret } from '#kinds';
import type { TokenAuthenticator } from '#request';
import { readMoment } from '#schema';
import { commonAudiences } from '../claims.ts';
import { isSameSecret } from '../same-secret.ts';

export interface BootstrapTokenOptions {
  readonly brand: Brand;
  readonly clock: Clock;
  readonly objects: Pick<ObjectAccess, 'get'>;
  /** Audiences of this server. */
  readonly audiences: readonly string[];
}

/** Token id, which is public, and token secret. @spec 8 */
const FORM = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const GROUP = 'system:bootstrappers';
const EXTRA_GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

/** Authenticates bootstrap tokens, with which new nodes join: Secrets in the system namespace. @spec 3.3 @spec 5.3 */
export function bootstrapTokens({ brand, clock, objects, audiences: own }: BootstrapTokenOptions): TokenAuthenticator {
  return {
    name: 'bootstrap-token',
    async authenticateToken(token, question) {
      const [, id = '', secret = ''] = FORM.exec(token) ?? [];
      const audiences = commonAudiences(question.audiences, own);
      if (id === '' || audiences.length === 0) return undefined;
      const key = { namespace: brand.names.systemNamespace, name: `bootstrap-token-${id}` };
      const stored = (await objects.get({ group: '', kind: 'Secret' }, key)) as Secret | undefined;
      if (stored === undefined || stored.type !== brand.names.bootstrapTokenSecret || stored.metadata.deletionTimestamp) return undefined;
      const text = (name: string): string => textIn(stored, name);
      if (!isSameSecret(Buffer.from(text('token-secret')), Buffer.from(secret)) || text('token-id') !== id) return undefined;
      if (isExpired(text('expiration'), clock.nowMs()) || text('usage-bootstrap-authentication') !== 'true') return undefined;
      const groups = readGroups(text('auth-extra-groups'));
      return groups === undefined ? undefined : { user: { name: `system:bootstrap:${id}`, groups }, audiences };
    },
  };
}

function textIn({ data = {} }: Secret, name: string): string {
  return Object.hasOwn(data, name) ? Buffer.from(data[name] ?? '', 'base64').toString('utf8') : '';
}

/** An expiration that cannot be parsed counts as passed. */
const isExpired = (expiration: string, nowMs: number): boolean => expiration !== '' && (readMoment(expiration) ?? 0) <= nowMs;

/** The groups of the token; undefined: an extra group is not allowed, which makes the token invalid. Spaces around a group are part of it. */
function readGroups(extra: string): readonly string[] | undefined {
  const named = extra === '' ? [] : extra.split(',');
  if (named.some((group) => !EXTRA_GROUP.test(group))) return undefined;
  return [...new Set([GROUP, ...named])].sort();
}
