import type { Flag } from './flags.table.ts';
import type { IdleFlag } from './idle-flags.table.ts';

/** The sections of the help: title, and their flags by name or prefix. The first match counts. */
const GROUPS: readonly (readonly [title: string, names: readonly string[]])[] = [
  ['Storage', ['store', 'storage-media-', 'history', 'etcd-', 'encryption-', 'data-dir', 'delete-collection-workers']],
  ['Serving', ['bind-address', 'cert-dir', 'secure-port', 'insecure-port', 'tls-', 'http2-', 'cors-', 'goaway-', 'strict-transport-', 'external-hostname', 'kubeconfig-out', 'advertise-address', 'request-timeout', 'min-request-timeout', 'event-ttl']],
  ['Flow control', ['enable-priority-and-fairness', 'max-requests-inflight', 'max-mutating-requests-inflight']],
  ['Auditing', ['audit-']],
  ['Authentication', ['anonymous-auth', 'api-audiences', 'authentication-', 'client-ca-file', 'enable-bootstrap-token-auth', 'oidc-', 'requestheader-', 'service-account-', 'token-auth-file']],
  ['Authorization', ['authorization-']],
  ['Admission', ['admission-', 'enable-admission-plugins', 'disable-admission-plugins', 'default-not-ready-', 'default-unreachable-']],
  ['API enablement', ['dialect', 'runtime-config', 'feature-gates', 'controllers', 'cluster-signing-', 'leader-elect', 'leader-elect-']],
  ['Services and nodes', ['service-', 'kubelet-', 'allow-endpoints-', 'allow-privileged', 'allow-proxy-', 'allow-service-', 'proxy-', 'enable-aggregator-', 'aggregator-']],
  ['Metrics and logs', ['log-', 'metrics-', 'show-hidden-', 'allow-metric-labels', 'disabled-metrics', 'tracing-']],
  ['Start and stop', ['config', 'livez-', 'shutdown-', 'version', 'workers']],
];

/** The title of a flag's section. */
export function groupOf(flag: Flag | IdleFlag): string {
  if ('idle' in flag) return IDLE_GROUP;
  const found = GROUPS.find(([, names]) => names.some((name) => (name.endsWith('-') ? flag.name.startsWith(name) : flag.name === name)));
  return found?.[0] ?? OTHER_GROUP;
}

const OTHER_GROUP = 'Other';
const IDLE_GROUP = 'Accepted and without effect';

/** The sections in the order of the help. */
export const FLAG_GROUPS: readonly string[] = [...GROUPS.map(([title]) => title), OTHER_GROUP, IDLE_GROUP];
