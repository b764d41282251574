import { isRefusal, type Controller } from '#client';
import { Job } from '#kinds';

/** Deletes finished jobs after their `ttlSecondsAfterFinished`, with foreground propagation: their pods first. */
export const ttlAfterFinished: Controller<Job> = {
  name: 'ttl-after-finished',
  watches: Job,
  async reconcile(key, { client, clock, inform }) {
    const job = inform(Job).get(key);
    const leftMs = (job && endMs(job) - clock.nowMs()) ?? Infinity;
    if (leftMs > 0) return leftMs === Infinity ? undefined : leftMs;
    const { uid = '', resourceVersion = '' } = job?.metadata ?? {};
    try {
      await client.of(Job).delete(key, { uid, resourceVersion, propagation: 'Foreground' });
    } catch (cause) {
      if (!isRefusal(cause, 'NotFound')) throw cause;
    }
    return undefined;
  },
};

/** When the job is deleted; Infinity: never. */
function endMs({ metadata, spec, status }: Job): number {
  const { ttlSecondsAfterFinished: seconds } = spec;
  if (seconds === undefined || metadata.deletionTimestamp) return Infinity;
  const finished = (status.conditions ?? []).find(({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True');
  const atMs = Date.parse(finished?.lastTransitionTime ?? '');
  return Number.isNaN(atMs) ? Infinity : atMs + seconds * 1000;
}
