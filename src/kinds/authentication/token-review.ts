import { defineKind, type ObjectOf } from '#api';
import { t } from '#schema';
import { UserInfo } from './user-info.ts';

class Spec extends t.message('authentication/v1.TokenReviewSpec', { token: t.string(1), audiences: t.strings(2) }) {}

class Status extends t.message('authentication/v1.TokenReviewStatus', {
  authenticated: t.bool(1),
  user: t.one(2, UserInfo),
  audiences: t.strings(4),
  error: t.string(3),
}) {}

class Body extends t.message('authentication/v1.TokenReview', { spec: t.one(2, Spec).required(), status: t.one(3, Status) }) {}

/** Asks which user a token belongs to. Never stored: the response has the answer. @spec 2.13 */
export const TokenReview = defineKind(Body, {
  group: 'authentication',
  kind: 'TokenReview',
  plural: 'tokenreviews',
  scope: 'Cluster',
  verbs: ['create'],
  versions: { v1: { schema: Body } },
  storage: 'v1',
  action: 'token-review',
});
export type TokenReview = ObjectOf<typeof TokenReview>;
