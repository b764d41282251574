/** How often maps are looked into or filled while this runs; a copy fills one. */
export function touches(run: () => unknown): number {
  const { get, set } = Map.prototype;
  let count = 0;
  const counting: Pick<Map<unknown, unknown>, 'get' | 'set'> = {
    get(this: Map<unknown, unknown>, key) {
      count += 1;
      return get.call(this, key) as unknown;
    },
    set(this: Map<unknown, unknown>, key, value) {
      count += 1;
      return set.call(this, key, value) as Map<unknown, unknown>;
    },
  };
  Object.assign(Map.prototype, counting);
  try {
    run();
  } finally {
    Object.assign(Map.prototype, { get, set });
  }
  return count;
}
