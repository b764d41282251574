/**
 * Whether a value is a promise, or any other object with a `then` method. A promise of a plugin, an authorizer or a store may come from another realm
 * (a test runner has one per file) or from a library, and a rejection inside it must not be taken for a result.
 */
export const isPromised = <T>(value: Promise<T> | T): value is Promise<T> =>
  value instanceof Promise || (typeof value === 'object' && value !== null && typeof (value as { readonly then?: unknown }).then === 'function');

/**
 * Calls `then` with a value: at once, or after the value is resolved if it is a promise. On the path of each request, promises cost more than most
 * steps.
 */
export function when<T, R>(value: Promise<T> | T, then: (value: T) => Promise<R> | R): Promise<R> | R {
  return isPromised(value) ? value.then(then) : then(value);
}
