import { source, type Controller } from 'orch/client';
import { Namespace, ResourceQuota } from 'orch/kinds';

const QUOTA = 'small';
const LIMIT = '10';

/** Namespaces with the label `size: small` may hold ten pods. */
export const smallNamespaces: Controller<Namespace> = {
  name: 'small-namespaces',
  watches: Namespace,
  // A quota that is changed or deleted is looked at again, by way of its namespace.
  also: [source(ResourceQuota, ({ metadata }) => [{ namespace: '', name: metadata.namespace ?? '' }])],
  async reconcile({ name }, { client, inform }) {
    const namespace = inform(Namespace).get({ namespace: '', name });
    if (namespace?.metadata.labels?.['size'] !== 'small' || namespace.metadata.deletionTimestamp) return undefined;
    const key = { namespace: name, name: QUOTA };
    if (inform(ResourceQuota).get(key)?.spec.hard?.['pods'] === LIMIT) return undefined;
    const wanted = { metadata: key, spec: { hard: { pods: LIMIT } } };
    await client.of(ResourceQuota).patch(key, 'apply', wanted, { fieldManager: 'small-namespaces', force: true });
    return undefined;
  },
};
