import { t } from '#schema';

export class Taint extends t.message('core/v1.Taint', {
  key: t.string(1).required(),
  value: t.string(2),
  effect: t.string(3).required(),
  timeAdded: t.maybe.time(4),
}) {}

class ConfigMapNodeConfigSource extends t.message('core/v1.ConfigMapNodeConfigSource', {
  namespace: t.string(1).required(),
  name: t.string(2).required(),
  uid: t.string(3),
  resourceVersion: t.string(4),
  kubeletConfigKey: t.string(5).required(),
}) {}

export class NodeConfigSource extends t.message('core/v1.NodeConfigSource', {
  configMap: t.perhaps(2, ConfigMapNodeConfigSource),
}) {}

interface Ranges {
  podCIDR?: string;
  podCIDRs?: string[];
}

/** Makes `podCIDR` and the first of `podCIDRs` agree; where they differ, `podCIDR` wins. */
function matchRanges(spec: Ranges): void {
  const first = spec.podCIDRs?.[0];
  if (spec.podCIDR) {
    if (first !== spec.podCIDR) spec.podCIDRs = [spec.podCIDR];
  } else if (first) {
    spec.podCIDR = first;
  }
}

export class NodeSpec extends t.message(
  'core/v1.NodeSpec',
  {
    podCIDR: t.string(1),
    podCIDRs: t.strings(7).mergeBy(),
    providerID: t.string(3),
    unschedulable: t.bool(4),
    taints: t.many(5, Taint),
    configSource: t.perhaps(6, NodeConfigSource),
    externalID: t.string(2),
  },
  { defaults: matchRanges },
) {}
