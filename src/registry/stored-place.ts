import type { Brand, Resource } from '#api';
import type { CollectionPlace } from '#storage';

/** The collection in which the objects of a resource are stored: a kind that two groups serve has one for both. */
export function storedPlace({ group, plural, kind: { storedAs } }: Resource, brand: Brand): CollectionPlace {
  return storedAs === undefined ? { group, resource: plural } : { group: brand.group(storedAs.group), resource: storedAs.plural };
}
