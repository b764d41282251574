import { cloneJson } from '#base';
import type { ApiObject } from '#api';

/** Keeps the stored metadata in a status update, except managed fields and resourceVersion. Changes `next`. */
export function keepMetadata(next: Pick<ApiObject, 'metadata'>, live: Pick<ApiObject, 'metadata'>): void {
  const { managedFields, resourceVersion } = next.metadata;
  next.metadata = { ...cloneJson(live.metadata), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
  if (managedFields === undefined) delete next.metadata.managedFields;
  else next.metadata.managedFields = managedFields;
}
