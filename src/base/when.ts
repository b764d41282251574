/**
 * Whether a value is promised. By what it can do and not by its class: a promise of a plugin, of an authorizer or of a store may come from another
 * realm (a test runner has one per file), or be made by a library, and a refusal inside it must not be taken for an answer that is there.
 */
export const isPromised = <T>(value: Promise<T> | T): value is Promise<T> =>
  value instanceof Promise || (typeof value === 'object' && value !== null && typeof (value as { readonly then?: unknown }).then === 'function');

/** Goes on with a value: at once where it is at hand, after it where it is promised. On the path of every request a promise costs more than most steps. */
export function when<T, R>(value: Promise<T> | T, then: (value: T) => Promise<R> | R): Promise<R> | R {
  return isPromised(value) ? value.then(then) : then(value);
}
