import { ApiError, unauthorized } from '#errors';
import type { Authenticator, Identified, Identity, Received, Routed, Stage } from '#request';
import { asMember } from './member.ts';

/** Who is asked, in this order. */
export interface Authentication {
  readonly methods: readonly Authenticator[];
  /** Asked when all others know nothing, and none has seen bad credentials. Absent: such a request is refused. */
  readonly anonymous?: Authenticator | undefined;
}

/**
 * Finds out who asks: the first authenticator that knows the credentials decides. One that refuses does not stop the others, since a
 * request may carry several credentials; but nobody with bad ones alone is let in as anonymous.
 * @spec 5.1
 */
export function authenticationStage(authentication: Authentication): Stage<Routed, Identified> {
  return async (request, next) => next(withUser(request, await identify(authentication, request)));
}

async function identify({ methods, anonymous }: Authentication, request: Received): Promise<Identity> {
  let refusal: ApiError | undefined;
  for (const method of methods) {
    try {
      const identity = await method.authenticate(request);
      if (identity !== undefined) return identity;
    } catch (thrown) {
      if (!(thrown instanceof ApiError) || thrown.reason !== 'Unauthorized') throw thrown;
      refusal = thrown;
    }
  }
  const identity = refusal === undefined ? await anonymous?.authenticate(request) : undefined;
  if (identity === undefined) throw refusal ?? unauthorized();
  return identity;
}

function withUser(request: Routed, { user }: Identity): Identified {
  return Object.assign(request, { user: asMember(user) });
}
