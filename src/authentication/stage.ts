import { isPromised } from '#base';
import { isRefusal, unauthorized, type ApiError } from '#errors';
import type { Authenticator, Found, Identified, Identity, Received, Routed, Stage, User } from '#request';
import { asMember } from './member.ts';
import type { NoteRefusal } from './refusal-log.ts';

/** The configured authenticators. */
export interface Authentication {
  readonly methods: readonly Authenticator[];
  /** Used when no method recognizes credentials and none has rejected any. Absent: such a request is rejected. */
  readonly anonymous?: Authenticator | undefined;
  /** Takes why credentials are refused, where that is known. */
  readonly note?: NoteRefusal;
}

/** Observes authentication, for metrics. Must be quick and never throw. */
export interface AuthenticationObserver {
  known(user: User, tookMs: number): void;
  /** No method recognized credentials, and nobody may be anonymous. */
  unknown(tookMs: number): void;
  /** Credentials were rejected, or could not be checked. */
  failed(tookMs: number): void;
}

/**
 * Authenticates a request: the first method that recognizes its credentials decides. A rejection does not stop the others, since a request may carry
 * several credentials; but a request whose only credentials are bad is rejected and not treated as anonymous.
 * @spec 5.1
 */
export function authenticationStage(authentication: Authentication, observer?: AuthenticationObserver): Stage<Routed, Identified> {
  return (request, next) => {
    const startedMs = performance.now();
    const known = (identity: Identity | undefined): ReturnType<typeof next> => {
      if (identity === undefined) {
        observer?.unknown(performance.now() - startedMs);
        return Promise.reject(unauthorized());
      }
      const member = asMember(identity.user);
      const identified: Routed & { user?: User } = request;
      identified.user = member;
      observer?.known(member, performance.now() - startedMs);
      return next(identified as Identified);
    };
    const failed = (thrown: unknown): never => {
      observer?.failed(performance.now() - startedMs);
      throw thrown;
    };
    let found: Found;
    try {
      found = identify(authentication, request, 0, undefined);
    } catch (thrown) {
      observer?.failed(performance.now() - startedMs);
      return Promise.reject(thrown as Error);
    }
    return isPromised(found) ? found.then(known, failed) : known(found);
  };
}

/** Tries the methods from index `from` on; `refusal`: what an earlier method threw. Synchronous as long as all of them answer synchronously. */
function identify(authentication: Authentication, request: Received, from: number, refusal: ApiError | undefined): Found {
  const { methods, anonymous } = authentication;
  let refused = refusal;
  for (let at = from; at < methods.length; at++) {
    try {
      const said = (methods[at] as Authenticator).authenticate(request);
      if (isPromised(said)) return later(said, authentication, request, at + 1, refused);
      if (said !== undefined) return said;
    } catch (thrown) {
      refused = firstReason(refused, asRefusal(thrown));
    }
  }
  if (refused !== undefined) {
    if (typeof refused.cause === 'string') authentication.note?.(refused.cause, request.remoteAddress);
    throw refused;
  }
  return anonymous?.authenticate(request);
}

/** Awaits an asynchronous method, then tries those from index `from` on. */
function later(said: Promise<Identity | undefined>, authentication: Authentication, request: Received, from: number, refusal: ApiError | undefined): Promise<Identity | undefined> {
  return said.then(
    (identity) => identity ?? identify(authentication, request, from, refusal),
    (thrown: unknown) => identify(authentication, request, from, firstReason(refusal, asRefusal(thrown))),
  );
}

/** `Unauthorized` is kept for later; every other error is thrown again. */
function asRefusal(thrown: unknown): ApiError {
  if (isRefusal(thrown, 'Unauthorized')) return thrown;
  throw thrown;
}

/** The first refusal that says why, else the last one. */
const firstReason = (before: ApiError | undefined, now: ApiError): ApiError => (typeof before?.cause === 'string' ? before : now);
