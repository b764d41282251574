import { validateObjectMeta, type ApiObject, type KindDefinition } from '#api';
import type { FieldErrors } from '#errors';

/**
 * Runs the checks of a kind of this group: once on create; on update twice, together with those of new metadata, because the recorded
 * server names each mistake in a changed role or binding twice.
 */
export function checkAsOftenAsRecorded(
  next: Pick<ApiObject, 'metadata'>,
  live: object | undefined,
  scope: KindDefinition['scope'],
  at: FieldErrors,
  check: () => void,
): void {
  check();
  if (live === undefined) return;
  check();
  for (let i = 0; i < 2; i++) validateObjectMeta(next.metadata, { scope, nameForm: 'path-segment' }, at.child('metadata'));
}
