import { isPromised } from '#base';
import { statusError } from '#client';
import { ApiError, UnforeseenFailure } from '#errors';

/**
 * Runs code of the embedding program and hands its result to `take`. What either throws, unless it is an `ApiError`, is thrown again as `UnforeseenFailure`
 * that says which `part` of the program failed, with what was thrown as its cause, for the log.
 */
export function runOwn<R, T>(part: string, run: () => Promise<R> | R, take: (said: R) => T): Promise<T> | T {
  const fail = (thrown: unknown): never => {
    throw refusalOf(thrown) ?? new UnforeseenFailure(part, thrown);
  };
  try {
    const said = run();
    return isPromised(said) ? Promise.resolve(said).then(take).catch(fail) : take(said);
  } catch (thrown) {
    return fail(thrown);
  }
}

/** Runs code of the embedding program that has to return at once, as `runOwn` does. A promise is a failure: nobody would wait for what it comes to. */
export function runOwnAtOnce<R, T>(part: string, run: () => R, take: (said: R) => T): T {
  return runOwn(part, () => atOnce(run()), take) as T;
}

function atOnce<R>(said: R): R {
  if (!isPromised(said)) return said;
  said.then(undefined, () => {});
  throw new Error('it returns at once, and returned a promise');
}

/** Not by class alone: a plugin may bring a copy of this package of its own, and a test runner loads one anew for every file. */
function refusalOf(thrown: unknown): ApiError | undefined {
  if (thrown instanceof ApiError) return thrown;
  const other = thrown as ApiError | null | undefined;
  return other?.name === 'ApiError' && typeof other.toStatus === 'function' ? statusError(other.toStatus(), other.code) : undefined;
}
