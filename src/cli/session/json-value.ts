export type JsonMap = Readonly<Record<string, unknown>>;

export const isMap = (value: unknown): value is JsonMap => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A member's own value; nothing inherited. */
export const memberOf = (value: unknown, name: string): unknown => (isMap(value) && Object.hasOwn(value, name) ? value[name] : undefined);

export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = path.reduce(memberOf, value);
  return typeof found === 'string' ? found : '';
}

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = path.reduce(memberOf, value);
  return Array.isArray(found) ? (found as readonly unknown[]) : [];
}

export const textsAt = (value: unknown, ...path: readonly string[]): readonly string[] =>
  listAt(value, ...path).filter((item) => typeof item === 'string');
