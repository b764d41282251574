import { isDeepEqual } from '#base';
import type { ApiObject, Resource } from '#api';
import { isSameByType } from '#schema';

/**
 * Raises `metadata.generation` when a field that the kind's declaration names has changed, such as `spec` or `metadata.annotations`. A write of a
 * subresource counts only the fields that it may write. An equal quantity written in another way is not a change.
 */
export function raiseGeneration(resource: Resource, subresource: string, next: ApiObject, live: ApiObject): void {
  const writes = resource.kind.subresources?.[subresource]?.writes;
  const paths = resource.kind.generation?.filter((path) => writes === undefined || writes.includes(path.split('.')[0] ?? path));
  if (paths === undefined) return;
  const changed = paths.some((path) => !isSame(resource, path, valueAt(next, path), valueAt(live, path)));
  if (changed) next.metadata.generation = nextGeneration(live.metadata.generation);
}

/** The generation after this one. The largest that there is stays: clients may have set it, and a larger one does not fit into 64 bits. */
export function nextGeneration(generation: number | bigint = 0): number | bigint {
  const next = BigInt(generation) + 1n;
  if (BigInt.asIntN(64, next) !== next) return generation;
  return Number.isSafeInteger(Number(next)) ? Number(next) : next;
}

function isSame({ storage }: Resource, path: string, one: unknown, other: unknown): boolean {
  const type = storage.schema.type.fields.get(path)?.type;
  return type === undefined ? isDeepEqual(one, other) : isSameByType(type, one, other);
}

function valueAt(object: ApiObject, path: string): unknown {
  return path.split('.').reduce<unknown>((value, member) => (typeof value === 'object' && value !== null ? Reflect.get(value, member) : undefined), object);
}
