import { isPromised, when } from '#base';
import { isRefusal, type ApiError } from '#errors';
import type { Authenticator, Identified, Identity, Received, Routed, Stage, User } from '#request';
import { asMember } from './member.ts';
import { orRefused } from './or-refused.ts';

/** Who is asked, in this order. */
export interface Authentication {
  readonly methods: readonly Authenticator[];
  /** Asked when all others know nothing, and none has seen bad credentials. Absent: such a request is refused. */
  readonly anonymous?: Authenticator | undefined;
}

/** Looks on while callers become known. Must be quick and never throw. */
export interface AuthenticationObserver {
  known(user: User, tookMs: number): void;
  failed(thrown: unknown, tookMs: number): void;
}

/**
 * Finds out who asks: the first authenticator that knows the credentials decides. One that refuses does not stop the others, since a
 * request may carry several credentials; but nobody with bad ones alone is let in as anonymous.
 * @spec 5.1
 */
export function authenticationStage(authentication: Authentication, observer?: AuthenticationObserver): Stage<Routed, Identified> {
  return (request, next) => {
    const startedMs = performance.now();
    const known = ({ user }: Identity): ReturnType<typeof next> => {
      const member = asMember(user);
      const identified: Routed & { user?: User } = request;
      identified.user = member;
      observer?.known(member, performance.now() - startedMs);
      return next(identified as Identified);
    };
    const failed = (thrown: unknown): never => {
      observer?.failed(thrown, performance.now() - startedMs);
      throw thrown;
    };
    let found: Identity | Promise<Identity>;
    try {
      found = identify(authentication, request, 0, undefined);
    } catch (thrown) {
      observer?.failed(thrown, performance.now() - startedMs);
      return Promise.reject(thrown as Error);
    }
    return isPromised(found) ? found.then(known, failed) : known(found);
  };
}

/** Asks from the method at `from` on; `refusal`: what one before it threw. At once where all who are asked answer at once. */
function identify(authentication: Authentication, request: Received, from: number, refusal: ApiError | undefined): Identity | Promise<Identity> {
  const { methods, anonymous } = authentication;
  let refused = refusal;
  for (let at = from; at < methods.length; at++) {
    try {
      const said = (methods[at] as Authenticator).authenticate(request);
      if (isPromised(said)) return later(said, authentication, request, at + 1, refused);
      if (said !== undefined) return said;
    } catch (thrown) {
      refused = asRefusal(thrown);
    }
  }
  if (refused !== undefined) throw refused;
  const unknown = anonymous?.authenticate(request);
  return when(unknown, orRefused);
}

/** One who has to look first; the others after that. */
function later(said: Promise<Identity | undefined>, authentication: Authentication, request: Received, from: number, refusal: ApiError | undefined): Promise<Identity> {
  return said.then(
    (identity) => identity ?? identify(authentication, request, from, refusal),
    (thrown: unknown) => identify(authentication, request, from, asRefusal(thrown)),
  );
}

/** What is no refusal is not ours. */
function asRefusal(thrown: unknown): ApiError {
  if (isRefusal(thrown, 'Unauthorized')) return thrown;
  throw thrown;
}
