import { isJsonObject, memberOf } from '#base';

/** Returns the identity of a list item: the value of its merge key, or the item itself. */
export type Identity = (item: unknown) => unknown;

/** The identity of items by a merge key; without a key the items themselves. */
export const identityBy = (key: string | undefined): Identity =>
  key === undefined ? (item) => item : (item) => (isJsonObject(item) ? memberOf(item, key) : undefined);

/**
 * Sorts items as `$setElementOrder` does: items listed in `wanted` are in its order; each other item keeps its order in `live`, and comes before the
 * first wanted item that followed it there. The order of wanted items takes precedence.
 */
export function orderItems(items: readonly unknown[], wanted: readonly unknown[], live: readonly unknown[], identity: Identity): unknown[] {
  const wantedAt = places(wanted, identity);
  const liveAt = places(live, identity);
  const rank = (places: ReadonlyMap<unknown, number>, item: unknown): number => places.get(identity(item)) ?? Infinity;
  const sortBy = (order: ReadonlyMap<unknown, number>, some: unknown[]): unknown[] =>
    some.sort((a, b) => {
      const x = rank(order, a);
      const y = rank(order, b);
      return x === y ? 0 : x - y;
    });
  const given = sortBy(wantedAt, items.filter((item) => wantedAt.has(identity(item))));
  const others = sortBy(liveAt, items.filter((item) => !wantedAt.has(identity(item))));
  return interleave(others, given, (other, one) => {
    const x = rank(liveAt, other);
    return x < rank(liveAt, one) && liveAt.has(identity(one));
  });
}

function places(list: readonly unknown[], identity: Identity): ReadonlyMap<unknown, number> {
  const at = new Map<unknown, number>();
  for (const [index, item] of list.entries()) if (!at.has(identity(item))) at.set(identity(item), index);
  return at;
}

function interleave(left: readonly unknown[], right: readonly unknown[], isBefore: (l: unknown, r: unknown) => boolean): unknown[] {
  const all: unknown[] = [];
  let l = 0;
  let r = 0;
  while (l < left.length || r < right.length) {
    if (r >= right.length || (l < left.length && isBefore(left[l], right[r]))) all.push(left[l++]);
    else all.push(right[r++]);
  }
  return all;
}
