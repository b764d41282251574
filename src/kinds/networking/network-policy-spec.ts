import { LabelSelector } from '#api';
import { t } from '#schema';

/** @spec 2.9 */
export class NetworkPolicyPort extends t.message('networking/v1.NetworkPolicyPort', {
  protocol: t.maybe.string(1).default('TCP'),
  port: t.maybe.intOrString(2),
  endPort: t.maybe.int32(3),
}) {}

export class IPBlock extends t.message('networking/v1.IPBlock', {
  cidr: t.string(1).required(),
  except: t.strings(2),
}) {}

export class NetworkPolicyPeer extends t.message('networking/v1.NetworkPolicyPeer', {
  podSelector: t.perhaps(1, LabelSelector),
  namespaceSelector: t.perhaps(2, LabelSelector),
  ipBlock: t.perhaps(3, IPBlock),
}) {}

class IngressRule extends t.message('networking/v1.NetworkPolicyIngressRule', {
  ports: t.many(1, NetworkPolicyPort),
  from: t.many(2, NetworkPolicyPeer),
}) {}

class EgressRule extends t.message('networking/v1.NetworkPolicyEgressRule', {
  ports: t.many(1, NetworkPolicyPort),
  to: t.many(2, NetworkPolicyPeer),
}) {}

interface Rules {
  egress?: readonly unknown[];
  policyTypes?: string[];
}

/** Defaults the policy types; an empty list of egress rules does not count. */
function defaultPolicyTypes(spec: Rules): void {
  if ((spec.policyTypes?.length ?? 0) > 0) return;
  spec.policyTypes = (spec.egress?.length ?? 0) > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
}

/** @spec 2.9 */
export class NetworkPolicySpec extends t.message(
  'networking/v1.NetworkPolicySpec',
  {
    podSelector: t.one(1, LabelSelector).required(),
    ingress: t.many(2, IngressRule),
    egress: t.many(3, EgressRule),
    policyTypes: t.strings(4),
  },
  { defaults: defaultPolicyTypes },
) {}
