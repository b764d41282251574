import { isPromised } from '#base';
import { ApiError, UnforeseenFailure } from '#errors';

/**
 * Runs code of the embedding program and hands its result to `take`. What either throws, unless it is an `ApiError`, is thrown again as `UnforeseenFailure`
 * that says which `part` of the program failed, with what was thrown as its cause, for the log.
 */
export function runOwn<R, T>(part: string, run: () => Promise<R> | R, take: (said: R) => T): Promise<T> | T {
  const fail = (thrown: unknown): never => {
    throw thrown instanceof ApiError ? thrown : new UnforeseenFailure(part, thrown);
  };
  try {
    const said = run();
    return isPromised(said) ? Promise.resolve(said).then(take).catch(fail) : take(said);
  } catch (thrown) {
    return fail(thrown);
  }
}
