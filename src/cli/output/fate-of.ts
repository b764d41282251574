import { memberIn, textAt, textsAt } from '#base';

/**
 * What has become of an object, by the answer to its DELETE: a Status, or the object as it was where its kind shows that, when it is gone; the object
 * with what keeps it, as long as a finalizer or its grace period does.
 */
export function fateOf(answer: unknown): string {
  if (textAt(answer, 'kind') === 'Status') return 'deleted';
  const graceSeconds = Number(memberIn(memberIn(answer, 'metadata'), 'deletionGracePeriodSeconds') ?? 0);
  const waitsFor = [
    ...textsAt(answer, 'metadata', 'finalizers'),
    ...textsAt(answer, 'spec', 'finalizers'),
    ...(graceSeconds > 0 ? [`the end of its grace period of ${graceSeconds} s`] : []),
  ];
  return waitsFor.length === 0 ? 'deleted' : `is being deleted, waiting for ${waitsFor.join(', ')}`;
}
