/** Goes on with a value: at once where it is at hand, after it where it is promised. On the path of every request a promise costs more than most steps. */
export function when<T, R>(value: Promise<T> | T, then: (value: T) => Promise<R> | R): Promise<R> | R {
  return value instanceof Promise ? (value as Promise<T>).then(then) : then(value);
}
