import type { ApiObject, StoredForms } from '#api';

/** What volumes and claims have in common here. */
interface Phased extends ApiObject {
  readonly status?: { readonly phase?: string };
}

/** A new volume or claim is stored without a phase and read as Pending: the next write stores a change even if it changes nothing else. */
export const pendingUntilWritten: StoredForms = { load: (objects) => objects.map(withPhase), save: (object) => object };

/** Another server may have stored the object without a status. */
function withPhase(stored: ApiObject): ApiObject {
  const { status } = stored as Phased;
  if (status?.phase) return stored;
  const pending: Phased = { ...stored, status: { ...status, phase: 'Pending' } };
  return pending;
}
