import { unauthorized } from '#errors';
import type { Identity } from '#request';

/** The identity; throws `Unauthorized` where no authenticator recognized the credentials. */
export function orRefused(identity: Identity | undefined): Identity {
  if (identity === undefined) throw unauthorized();
  return identity;
}
