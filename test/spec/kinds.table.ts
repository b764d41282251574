// The kinds that are built, each with a smallest object and a change that is allowed.
import type { Brand } from '#api';

export interface KindRow {
  readonly kind: string;
  /** In the neutral form; see `Brand.group`. */
  readonly group: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
  /** Everything beside name and type. */
  readonly body: object;
  /** A merge patch that changes the object, and where the change can be seen. */
  readonly change: object;
}

const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i:1' }] } };
const workload = { spec: { selector: { matchLabels: { app: 'a' } }, template } };
const annotated = { metadata: { annotations: { changed: 'yes' } } };

export const KINDS: readonly KindRow[] = [
  { kind: 'Namespace', group: '', plural: 'namespaces', isNamespaced: false, body: {}, change: annotated },
  { kind: 'ConfigMap', group: '', plural: 'configmaps', isNamespaced: true, body: { data: { a: '1' } }, change: { data: { a: '2' } } },
  { kind: 'Secret', group: '', plural: 'secrets', isNamespaced: true, body: { data: { a: 'MQ==' } }, change: { data: { a: 'Mg==' } } },
  { kind: 'ServiceAccount', group: '', plural: 'serviceaccounts', isNamespaced: true, body: {}, change: { automountServiceAccountToken: false } },
  { kind: 'PriorityClass', group: 'scheduling', plural: 'priorityclasses', isNamespaced: false, body: { value: 5 }, change: { description: 'changed' } },
  { kind: 'Lease', group: 'coordination', plural: 'leases', isNamespaced: true, body: { spec: { holderIdentity: 'a' } }, change: { spec: { holderIdentity: 'b' } } },
  { kind: 'Deployment', group: 'apps', plural: 'deployments', isNamespaced: true, body: workload, change: { spec: { replicas: 3 } } },
  { kind: 'DaemonSet', group: 'apps', plural: 'daemonsets', isNamespaced: true, body: workload, change: { spec: { minReadySeconds: 3 } } },
  {
    kind: 'NetworkPolicy',
    group: 'networking',
    plural: 'networkpolicies',
    isNamespaced: true,
    body: { spec: { podSelector: {} } },
    change: { spec: { policyTypes: ['Ingress', 'Egress'] } },
  },
];

export const rowOf = (kind: string): KindRow => {
  const row = KINDS.find((one) => one.kind === kind);
  if (row === undefined) throw new Error(`no kind ${kind} in the table`);
  return row;
};

/** `v1`, `apps/v1`, ... as the dialect spells it. */
export const apiVersionOf = (brand: Brand, { group }: KindRow): string => (group === '' ? 'v1' : `${brand.group(group)}/v1`);

/** `/api/v1` or `/apis/<group>/v1`. */
export const prefixOf = (brand: Brand, { group }: KindRow): string => (group === '' ? '/api/v1' : `/apis/${brand.group(group)}/v1`);

export const objectOf = (brand: Brand, row: KindRow, metadata: object, body: object = row.body): object => ({
  apiVersion: apiVersionOf(brand, row),
  kind: row.kind,
  metadata,
  ...body,
});
