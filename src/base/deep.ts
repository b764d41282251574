/** Whether two plain JSON values are equal. Members that are undefined count as absent; the order of members does not matter. */
export function isDeepEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) || Array.isArray(other)) {
    return Array.isArray(one) && Array.isArray(other) && one.length === other.length && one.every((item, at) => isDeepEqual(item, other[at]));
  }
  const left = one as Record<string, unknown>;
  const right = other as Record<string, unknown>;
  for (const name of Object.keys(left)) {
    if (!isDeepEqual(left[name], Object.hasOwn(right, name) ? right[name] : undefined)) return false;
  }
  for (const name of Object.keys(right)) {
    if (right[name] !== undefined && !Object.hasOwn(left, name)) return false;
  }
  return true;
}
