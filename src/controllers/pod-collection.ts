import { isRefusal, keyOf, source, type Controller } from '#client';
import { Node, Pod } from '#kinds';

const BY_NODE = 'node';

/**
 * Force-deletes terminating pods that no kubelet will ever confirm, because their node does not exist: when their grace period is over. Other pods
 * are left alone, whatever their node.
 */
export const podCollection: Controller<Pod> = {
  name: 'podgc',
  workers: 8,
  watches: Pod,
  also: [source(Node, ({ metadata: { name = '' } }, { inform }) => inform(Pod).by(BY_NODE, name).map(keyOf))],
  prepare: ({ inform }) => inform(Pod).addIndex(BY_NODE, ({ spec }) => (spec.nodeName ? [spec.nodeName] : [])),
  async reconcile(key, { client, clock, inform }) {
    const pod = inform(Pod).get(key);
    const { uid = '', deletionTimestamp } = pod?.metadata ?? {};
    if (!pod || !deletionTimestamp || isFinished(pod)) return undefined;
    const { nodeName } = pod.spec;
    if (nodeName && inform(Node).get({ namespace: '', name: nodeName }) !== undefined) return undefined;
    const leftMs = Date.parse(deletionTimestamp) - clock.nowMs();
    if (leftMs > 0) return leftMs;
    // Read from the server: the informer may be stale, and this deletion cannot be undone.
    if (nodeName && (await client.of(Node).find({ name: nodeName })) !== undefined) return undefined;
    try {
      await client.of(Pod).delete(key, { uid, graceSeconds: 0 });
    } catch (cause) {
      if (!isRefusal(cause, 'NotFound')) throw cause;
    }
    return undefined;
  },
};

/** No grace period left: only finalizers hold the pod. */
const isFinished = ({ metadata }: Pod): boolean => Number(metadata.deletionGracePeriodSeconds ?? 0) === 0;
