import { isDeepEqual } from '#base';
import { nextGeneration, type ApiObject, type Resource } from '#api';
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

function isSame({ storage }: Resource, path: string, one: unknown, other: unknown): boolean {
  const type = storage.schema.type.fields.get(path)?.type;
  return type === undefined ? isDeepEqual(one, other) : isSameByType(type, one, other);
}

function valueAt(object: ApiObject, path: string): unknown {
  return path.split('.').reduce<unknown>((value, member) => (typeof value === 'object' && value !== null ? Reflect.get(value, member) : undefined), object);
}
