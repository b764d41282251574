import { isDeepEqual } from '#base';
import { openInformer, warnOfFailures, WorkQueue, type Running } from '#client';
import { ConfigMap, Namespace } from '#kinds';
import type { ServerControllerEnv } from './environment.ts';
import { Repairs } from './repairs.ts';
import { isGoing, isTooLate } from './service-accounts.ts';

/** What is promised of the certificate, for those who come upon it. */
const DESCRIPTION =
  'Certificates of authority by which clients inside the cluster verify the API server. What else they are good for depends on who set up the cluster.';

/**
 * Maintains a ConfigMap with the CA certificate in every namespace, by which pods verify the server. An annotation describes it, in others' words where
 * there are any. Follows ConfigMaps of that one name only.
 * @spec 5.9
 */
export function startRootCaPublisher(env: ServerControllerEnv): Running | undefined {
  const { client, clock, retryClock, log, signal, rootCa } = env;
  if (rootCa === undefined) return undefined;
  const data = { 'ca.crt': rootCa };
  const { rootCaConfigMap: name, domain } = client.brand.names;
  const described = `${domain}/description`;
  const configMaps = client.of(ConfigMap);
  const published = openInformer(configMaps, { retryClock, log, signal, fieldSelector: `metadata.name=${name}` });
  const namespaces = env.inform(Namespace);
  const repairs = new Repairs(clock);
  const queue = new WorkQueue({
    name: 'root_ca_cert_publisher',
    observer: env.queues,
    clock,
    retryClock,
    workers: 4,
    work: publish,
    onFailure: warnOfFailures(log, 'the root certificate cannot be published yet', (namespace) => ({ namespace })),
  });

  async function publish(namespace: string): Promise<number | undefined> {
    const target = namespaces.get({ namespace: '', name: namespace });
    if (target === undefined) repairs.forget(namespace);
    if (target === undefined || isGoing(target)) return undefined;
    const live = published.get({ namespace, name });
    if (live !== undefined && isDeepEqual(live.data, data) && live.metadata.annotations?.[described]) return undefined;
    const waitMs = repairs.waitMs(namespace);
    if (waitMs > 0) return waitMs;
    try {
      const annotations = { ...live?.metadata.annotations, [described]: live?.metadata.annotations?.[described] || DESCRIPTION };
      if (live === undefined) await configMaps.create({ metadata: { namespace, name, annotations }, data });
      else await configMaps.update({ ...live, metadata: { ...live.metadata, annotations }, data });
    } catch (cause) {
      if (!isTooLate(cause)) throw cause;
      return undefined;
    }
    if (repairs.did(namespace)) log.warn('another program publishes another root certificate; --controllers=*,-root-ca-cert-publisher leaves it to that one', { namespace });
    return undefined;
  }

  const forget = ({ metadata: { name = '' } }: Namespace): void => repairs.forget(name);
  const add = (now: Namespace, before: Namespace | undefined): void => {
    if (before !== undefined && before.metadata.uid !== now.metadata.uid) forget(before);
    queue.add(now.metadata.name ?? '');
  };
  const again = ({ metadata }: ConfigMap): void => queue.add(metadata.namespace ?? '');
  const leaves = [namespaces.listen({ put: add, remove: forget }), published.listen({ put: again, remove: again })];
  const stop = (): Promise<void> => {
    for (const leave of leaves) leave();
    return queue.stop();
  };
  signal.addEventListener('abort', () => void stop(), { once: true });
  return { synced: Promise.all([namespaces.synced, published.synced]).then(() => queue.start()), stop };
}
