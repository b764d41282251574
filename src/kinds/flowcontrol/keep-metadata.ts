import type { ApiObject } from '#api';

/** A write to the status of these kinds changes no metadata but who owns what. Changes `next`. */
export function keepMetadata(next: Pick<ApiObject, 'metadata'>, live: Pick<ApiObject, 'metadata'>): void {
  const { managedFields, resourceVersion } = next.metadata;
  next.metadata = { ...structuredClone(live.metadata), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
  if (managedFields === undefined) delete next.metadata.managedFields;
  else next.metadata.managedFields = managedFields;
}
