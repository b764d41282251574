import type { KindObject } from '#api';
import type { FieldErrors } from '#errors';
import { t } from '#schema';

class BoundObjectReference extends t.message('authentication/v1.BoundObjectReference', {
  kind: t.string(1),
  apiVersion: t.string(2),
  name: t.string(3),
  uid: t.string(4),
}) {}

class Spec extends t.message('authentication/v1.TokenRequestSpec', {
  audiences: t.strings(1).required(),
  expirationSeconds: t.maybe.int64(4).always().default(3600),
  boundObjectRef: t.perhaps(3, BoundObjectReference).always(),
}) {}

class Status extends t.message('authentication/v1.TokenRequestStatus', {
  token: t.string(1).required(),
  expirationTimestamp: t.time(2).required(),
}) {}

/** The body of the `token` subresource of service accounts. @spec 5.9 */
export class TokenRequestBody extends t.message('authentication/v1.TokenRequest', {
  spec: t.one(2, Spec).required(),
  status: t.one(3, Status),
}) {}
export type TokenRequest = KindObject<TokenRequestBody>;

const MIN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;

export function validateTokenRequest({ spec }: TokenRequest, at: FieldErrors): void {
  const seconds = Number(spec.expirationSeconds ?? 0);
  const field = at.child('spec', 'expirationSeconds');
  if (seconds < MIN_SECONDS) field.invalid(seconds, 'may not specify a duration less than 10 minutes');
  if (seconds > MAX_SECONDS) field.invalid(seconds, 'may not specify a duration larger than 2^32 seconds');
}
