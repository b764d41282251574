import { ApiError, expired, internalError, serviceUnavailable, tooLarge, tooLargeResourceVersion, tooManyRequests } from '#errors';
import { MAX_OBJECT_BYTES, StorageFailure } from '#storage';

/** Whoever only tries again is told that the object is there already, or has changed, and takes it for the work of another. */
const UNCONFIRMED = 'the store did not confirm the write, which may have been done: read what is there before you try again';

/**
 * Maps a storage failure to the API error for clients; anything else is returned as it is.
 * The only place that knows both kinds of errors.
 * @spec 7
 */
export function toApiError(cause: unknown): unknown {
  if (!(cause instanceof StorageFailure)) return cause;
  switch (cause.code) {
    case 'compacted':
      return expired(cause.message);
    case 'future':
      return tooLargeResourceVersion(cause.message);
    case 'full':
      return serviceUnavailable('the store has no space left: nothing can be written until there is some, reads go on', cause);
    case 'tooLarge':
      // Not 503: retrying never helps.
      return tooLarge(`the object is larger than the store takes: make it smaller. The limit is ${MAX_OBJECT_BYTES} bytes, with etcd its --max-request-bytes`);
    case 'unavailable':
      // What a follower could not take, as an object of which a hook fails, is told in its words: the store is not to blame, and trying again is no use.
      if (cause.cause instanceof ApiError) return cause.cause;
      return serviceUnavailable(cause.isUnconfirmed ? UNCONFIRMED : 'the store is not available, try again', cause);
    case 'contended':
      return tooManyRequests('too many others write this object at the same time, try again', 1);
    case 'corrupt':
      return internalError(`the store holds an entry that cannot be read: ${cause.message}`, cause);
  }
}

/** What is tried after a failure of the store; undefined: nothing. */
export type Remedy<T> = (failure: StorageFailure) => (() => Promise<T>) | undefined;

/** Runs `work`, with storage failures mapped by `toApiError`. What `work` throws before it returns a promise is thrown synchronously. */
export function inApiTerms<T>(work: () => Promise<T>, remedy?: Remedy<T>): Promise<T> {
  try {
    return work().catch(remedy === undefined ? throwInApiTerms : (cause: unknown) => remedied(cause, remedy));
  } catch (cause) {
    return throwInApiTerms(cause);
  }
}

function remedied<T>(cause: unknown, remedy: Remedy<T>): Promise<T> {
  const again = cause instanceof StorageFailure ? remedy(cause) : undefined;
  return again === undefined ? throwInApiTerms(cause) : inApiTerms(again);
}

/** A rejection handler: throws the error mapped by `toApiError`. */
export function throwInApiTerms(cause: unknown): never {
  throw cause instanceof ApiError ? cause : toApiError(cause);
}
