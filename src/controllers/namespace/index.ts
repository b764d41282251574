import { abortedBy } from '#base';
import { WorkQueue, type ControllerEnv, type Running } from '#client';
import { Namespace } from '#kinds';
import { awaitDeparture } from './await-departure.ts';
import { nextConditions, type Findings } from './conditions.ts';
import { deleteContent } from './delete-content.ts';

/** Namespaces processed concurrently. */
const WORKERS = 10;
/** An API that fails delays a namespace for at most this long after it has recovered. */
const BACKOFF = { firstMs: 5, longestMs: 60_000 };
/** The longest time until remaining objects are checked again; deletions are noticed at once. */
const LOOK_AGAIN_MS = 15_000;

/**
 * Deletes the content of terminating namespaces, and then finalizes them. What cannot be deleted is reported in the namespace's conditions.
 * @spec 3.1
 */
export function startNamespaceController(env: ControllerEnv): Running {
  const { client, clock, retryClock, log, signal } = env;
  const namespaces = client.of(Namespace);
  const ending = abortedBy(signal);
  const watching = new Map<string, AbortController>();
  const finalizer = client.brand.names.namespaceFinalizer;

  const queue = new WorkQueue({
    name: 'namespace',
    observer: env.queues,
    clock,
    retryClock,
    backoff: BACKOFF,
    workers: WORKERS,
    work: empty,
    onFailure: (namespace, cause, failures) => log.warn('a namespace cannot be emptied yet', { namespace, failures, cause }),
  });

  async function empty(name: string): Promise<number | undefined> {
    leaveAlone(name);
    const live = await namespaces.find({ name });
    if (live?.metadata.deletionTimestamp === undefined || live.metadata.deletionTimestamp === null) return undefined;
    const finalizers = live.spec.finalizers ?? [];
    // Without any it was finalized before its deletion began: whatever is written to it next removes it, so that it must be empty by then.
    const isFinalized = finalizers.length === 0;
    const findings = await look(name);
    const told = isFinalized ? live : await tell(live, findings);
    if (findings.undiscovered.length > 0 || findings.failures.length > 0) throw new Error(problemOf(findings));
    if (findings.remains.length > 0) return lookAgain(name, findings);
    if (isFinalized) await namespaces.delete({ name }, { uid: live.metadata.uid ?? '' });
    else if (finalizers.includes(finalizer)) await letGo(told);
    return undefined;
  }

  async function look(name: string): Promise<Findings> {
    // Each its own: the one signal would gather the listeners of all that is asked at a time.
    const round = abortedBy(ending.signal);
    try {
      return await deleteContent(client, name, await client.discover(), () => clock.nowMs(), round.signal);
    } finally {
      round.abort();
    }
  }

  async function letGo(live: Namespace): Promise<void> {
    const finalizers = (live.spec.finalizers ?? []).filter((one) => one !== finalizer);
    await namespaces.update({ ...live, spec: { ...live.spec, finalizers } }, { subresource: 'finalize' });
  }

  async function tell(live: Namespace, findings: Findings): Promise<Namespace> {
    const conditions = nextConditions(live.status.conditions ?? [], findings, clock.nowMs());
    return conditions === undefined ? live : namespaces.updateStatus({ ...live, status: { ...live.status, conditions } });
  }

  function lookAgain(name: string, { remains }: Findings): number {
    const departure = abortedBy(ending.signal);
    watching.set(name, departure);
    void awaitDeparture(client, name, remains, departure.signal).then(() => {
      if (departure.signal.aborted) return;
      leaveAlone(name);
      queue.add(name);
    });
    const grace = Math.max(...remains.map(({ graceMs }) => graceMs));
    return grace > 0 ? Math.min(grace, LOOK_AGAIN_MS) : LOOK_AGAIN_MS;
  }

  function leaveAlone(name: string): void {
    watching.get(name)?.abort();
    watching.delete(name);
  }

  const informer = env.inform(Namespace);
  const leave = informer.listen({
    put(object, before) {
      // Conditions written by this controller cause no new round.
      const wasGoing = before?.metadata.uid === object.metadata.uid && !!before?.metadata.deletionTimestamp;
      if (object.metadata.deletionTimestamp && !wasGoing) queue.add(object.metadata.name ?? '');
    },
    remove: ({ metadata: { name = '' } }) => leaveAlone(name),
  });
  const stop = (): Promise<void> => {
    leave();
    ending.abort();
    return queue.stop();
  };
  signal.addEventListener('abort', () => void stop(), { once: true });
  return { synced: informer.synced.then(() => queue.start()), stop };
}

const problemOf = ({ undiscovered, failures }: Findings): string =>
  [
    ...undiscovered.map(({ apiVersion, cause }) => `${apiVersion} cannot be discovered: ${cause.message}`),
    ...failures.map(({ resource, why }) => `${resource}: ${why}`),
  ].join('; ');

