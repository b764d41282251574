import { warnOfFailures, WorkQueue, type ControllerEnv, type Running } from '#client';
import { Namespace } from '#kinds';
import { Emptier } from './emptier.ts';

/** Namespaces processed concurrently. */
const WORKERS = 10;
/** An API that fails delays a namespace for at most this long after it has recovered. */
const BACKOFF = { firstMs: 5, longestMs: 60_000 };

/**
 * Deletes the content of terminating namespaces, and then finalizes them. What cannot be deleted is reported in the namespace's conditions.
 * @spec 3.1
 */
export function startNamespaceController(env: ControllerEnv): Running {
  const { clock, retryClock, log, signal } = env;
  const emptier = new Emptier(env, (name) => queue.add(name));
  const queue = new WorkQueue({
    name: 'namespace',
    observer: env.queues,
    clock,
    retryClock,
    backoff: BACKOFF,
    workers: WORKERS,
    work: (name) => emptier.empty(name),
    onFailure: warnOfFailures(log, 'a namespace cannot be emptied yet', (namespace) => ({ namespace })),
  });
  const informer = env.inform(Namespace);
  const leave = informer.listen({
    put(object, before) {
      // Conditions written by this controller cause no new round.
      const wasGoing = before?.metadata.uid === object.metadata.uid && !!before?.metadata.deletionTimestamp;
      if (object.metadata.deletionTimestamp && !wasGoing) queue.add(object.metadata.name ?? '');
    },
    remove: ({ metadata: { name = '' } }) => emptier.leaveAlone(name),
  });
  const stop = (): Promise<void> => {
    leave();
    emptier.stop();
    return queue.stop();
  };
  signal.addEventListener('abort', () => void stop(), { once: true });
  return { synced: informer.synced.then(() => queue.start()), stop };
}
