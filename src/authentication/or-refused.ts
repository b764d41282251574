import { unauthorized } from '#errors';
import type { Identity } from '#request';

/** Throws `Unauthorized` where nobody knew the credentials. */
export function orRefused(identity: Identity | undefined): Identity {
  if (identity === undefined) throw unauthorized();
  return identity;
}
