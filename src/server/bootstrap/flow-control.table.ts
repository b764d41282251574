import type { Brand } from '#api';
import { MANDATORY_FLOW_SCHEMAS, MANDATORY_PRIORITY_LEVELS } from '#kinds';

/** A limited priority level: its concurrency shares and queues. */
type Level = readonly [name: string, shares: number, queues: number, handSize: number];

const QUEUE_LENGTH = 50;

/** Levels with queues. */
const LEVELS: readonly Level[] = [
  ['global-default', 20, 128, 6],
  ['leader-election', 10, 16, 4],
  ['node-high', 40, 64, 6],
  ['system', 30, 64, 6],
  ['workload-high', 40, 128, 6],
  ['workload-low', 100, 128, 6],
];

/** Specifications of the levels that exist from the start, by name. */
export const priorityLevels = (): Readonly<Record<string, object>> => ({
  ...MANDATORY_PRIORITY_LEVELS,
  ...Object.fromEntries(
    LEVELS.map(([name, assuredConcurrencyShares, queues, handSize]) => {
      const queuing = { queues, handSize, queueLengthLimit: QUEUE_LENGTH };
      return [name, { type: 'Limited', limited: { assuredConcurrencyShares, limitResponse: { type: 'Queue', queuing } } }];
    }),
  ),
});

const user = (name: string): object => ({ kind: 'User', user: { name } });
const group = (name: string): object => ({ kind: 'Group', group: { name } });
const EVERYBODY = [group('system:unauthenticated'), group('system:authenticated')];

const ANY = ['*'];
const RESOURCES = { verbs: ANY, apiGroups: ANY, resources: ANY, clusterScope: true, namespaces: ANY };
const EVERYTHING = { resourceRules: [RESOURCES], nonResourceRules: [{ verbs: ANY, nonResourceURLs: ANY }] };
const PROBES = { nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }] };

/** Specifications of the schemas that exist from the start, by name. */
export function flowSchemas(brand: Brand): Readonly<Record<string, object>> {
  const { systemNamespace } = brand.names;
  const coordination = [brand.group('coordination')];
  const systemAccounts = { kind: 'ServiceAccount', serviceAccount: { namespace: systemNamespace, name: '*' } };
  const locks = (namespaces: readonly string[]): object => ({
    resourceRules: [
      { verbs: ['get', 'create', 'update'], apiGroups: [''], resources: ['endpoints', 'configmaps'], namespaces },
      { verbs: ['get', 'create', 'update'], apiGroups: coordination, resources: ['leases'], namespaces: ANY },
    ],
  });
  const ownNodes = {
    resourceRules: [
      { verbs: ANY, apiGroups: [''], resources: ['nodes', 'nodes/status'], clusterScope: true, namespaces: ANY },
      { verbs: ANY, apiGroups: coordination, resources: ['leases'], namespaces: ANY },
    ],
  };
  const managers = [user('system:kube-controller-manager'), user('system:kube-scheduler')];
  const rows: readonly Row[] = [
    ['probes', 'exempt', 2, undefined, EVERYBODY, PROBES],
    ['system-leader-election', 'leader-election', 100, 'ByUser', [...managers, systemAccounts], locks([systemNamespace])],
    ['workload-leader-election', 'leader-election', 200, 'ByUser', [systemAccounts], locks(ANY)],
    ['system-node-high', 'node-high', 400, 'ByUser', [group('system:nodes')], ownNodes],
    ['system-nodes', 'system', 500, 'ByUser', [group('system:nodes')], EVERYTHING],
    ['kube-controller-manager', 'workload-high', 800, 'ByNamespace', managers.slice(0, 1), EVERYTHING],
    ['kube-scheduler', 'workload-high', 800, 'ByNamespace', managers.slice(1), EVERYTHING],
    [`${systemNamespace}-service-accounts`, 'workload-high', 900, 'ByNamespace', [systemAccounts], EVERYTHING],
    ['service-accounts', 'workload-low', 9_000, 'ByUser', [group('system:serviceaccounts')], EVERYTHING],
    ['global-default', 'global-default', 9_900, 'ByUser', EVERYBODY, EVERYTHING],
  ];
  return { ...MANDATORY_FLOW_SCHEMAS, ...Object.fromEntries(rows.map((row) => [row[0], schemaOf(row)])) };
}

type Row = readonly [name: string, level: string, precedence: number, distinguisher: string | undefined, subjects: readonly object[], what: object];

const schemaOf = ([, level, matchingPrecedence, type, subjects, what]: Row): object => ({
  priorityLevelConfiguration: { name: level },
  matchingPrecedence,
  ...(type === undefined ? {} : { distinguisherMethod: { type } }),
  rules: [{ subjects, ...what }],
});
