import { unauthorized } from '#errors';
import type { Authenticator, Identified, Identity, Received, Routed, Stage } from '#request';

/**
 * Finds out who asks: the first authenticator that knows the credentials decides.
 * One that refuses ends the search with 401.
 * @spec 5.1
 */
export function authenticationStage(methods: readonly Authenticator[]): Stage<Routed, Identified> {
  return async (request, next) => {
    const identity = await identify(methods, request);
    if (identity === undefined) throw unauthorized();
    return next(withUser(request, identity));
  };
}

async function identify(methods: readonly Authenticator[], request: Received): Promise<Identity | undefined> {
  for (const method of methods) {
    const identity = await method.authenticate(request);
    if (identity !== undefined) return identity;
  }
  return undefined;
}

/** Everybody who is known is also in this group. */
const AUTHENTICATED = 'system:authenticated';
const UNAUTHENTICATED = 'system:unauthenticated';

function withUser(request: Routed, { user }: Identity): Identified {
  const isMember = user.groups.includes(AUTHENTICATED) || user.groups.includes(UNAUTHENTICATED);
  return Object.assign(request, { user: isMember ? user : { ...user, groups: [...user.groups, AUTHENTICATED] } });
}
