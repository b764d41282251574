import { cloneJson } from '#base';
import { decode, OBJECT_HEAD } from '#schema';
import { objectTypeOf, type ApiObject, type Resource } from '#api';

/**
 * Restores in `next` the members that this request may not write: the single rule behind "`…/status` changes nothing else" and "the main resource
 * cannot change status".
 * @spec 4.2
 */
export function keepServerOwned(resource: Resource, subresource: string, next: ApiObject, live: ApiObject | undefined): void {
  if (subresource === '') {
    const source = live ?? emptyOf(resource);
    for (const member of ownedBySubresources(resource, live === undefined)) copyMember(next, source, member);
    return;
  }
  const { writes, keepsMetadata = [] } = resource.kind.subresources?.[subresource] ?? {};
  if (writes === undefined || live === undefined) return;
  for (const member of keepsMetadata) copyMember(next.metadata, live.metadata, member);
  for (const member of new Set([...Object.keys(next), ...Object.keys(live)])) {
    if (!OBJECT_HEAD.has(member) && !writes.includes(member)) copyMember(next, live, member);
  }
}

function copyMember(to: object, from: object, member: string): void {
  const value: unknown = Reflect.get(from, member);
  if (value === undefined) Reflect.deleteProperty(to, member);
  else Reflect.set(to, member, cloneJson(value));
}

function ownedBySubresources(resource: Resource, isNew: boolean): readonly string[] {
  const parts = Object.values(resource.kind.subresources ?? {});
  return parts.filter((one) => !isNew || one.isKeptOnCreate !== true).flatMap((one) => one.writes ?? []);
}

const empties = new WeakMap<Resource, object>();

function emptyOf(resource: Resource): object {
  let empty = empties.get(resource);
  if (empty === undefined) {
    empty = decode(objectTypeOf(resource.storage.schema), {});
    empties.set(resource, empty);
  }
  return empty;
}
