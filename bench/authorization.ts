import { alwaysAllow, Policy, rbac, union, type PolicyKind } from '#authorization';
import type { ApiObject } from '#api';
import type { Authorizer, Question } from '#request';
import { startTestServer } from '#testing';

/**
 * What authorization costs with 1,000 roles and 5,000 bindings: one decision, the first decision for a new user, and a GET through the whole
 * server compared with AlwaysAllow, without sockets, which would only hide it. Runs for some seconds.
 */
const GROUP = 'rbac.authorization.orch.io';
const [ROLES, BINDINGS, NAMESPACES, ROUNDS] = [1_000, 5_000, 100, 31];

const policy = new Policy();
const objectOf = (kind: PolicyKind, name: string, more: object, namespace?: string): ApiObject =>
  ({ apiVersion: `${GROUP}/v1`, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) }, ...more }) as ApiObject;
const roleOf = (at: number): object => ({ rules: [{ verbs: ['get', 'list'], apiGroups: ['', 'apps'], resources: [`kind-${at % 50}`, 'pods'] }] });
const bindingOf = (at: number): object => ({
  subjects: [{ kind: 'User', name: `user-${at}`, apiGroup: GROUP }, { kind: 'Group', name: `group-${at % 200}`, apiGroup: GROUP }],
  roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: `role-${at % ROLES}` },
});
const namespaceOf = (at: number): string => `ns-${at % NAMESPACES}`;

const about = { isResourceRequest: true, path: '', verb: 'get', apiPrefix: 'api', group: '', version: 'v1', subresource: '', name: 'a', parts: [] } as const;
const questionOf = (at: number): Question => ({
  ...about,
  resource: 'pods',
  namespace: namespaceOf(at),
  user: { name: `user-${at}`, groups: [`group-${at % 200}`, 'system:authenticated'] },
});
const { signal } = new AbortController();

const started = performance.now();
for (let at = 0; at < ROLES; at++) policy.put('ClusterRole', objectOf('ClusterRole', `role-${at}`, roleOf(at)));
for (let at = 0; at < BINDINGS; at++) policy.put('RoleBinding', objectOf('RoleBinding', `binding-${at}`, bindingOf(at), namespaceOf(at)));
console.log(`load ${ROLES} roles, ${BINDINGS} bindings  ${(performance.now() - started).toFixed(0)} ms`);

const authorizer = union([rbac(policy, GROUP)]);
const firstUs: number[] = [];
for (let at = 0; at < BINDINGS; at++) {
  const question = questionOf(at);
  const before = performance.now();
  if ((await authorizer.authorize(question, signal)).verdict !== 'allow') throw new Error('a user that is bound was refused');
  firstUs.push((performance.now() - before) * 1000);
}
firstUs.sort((a, b) => a - b);
const shareOf = (share: number): string => (firstUs[Math.floor(share * firstUs.length)] ?? 0).toFixed(1);
console.log(`first decision for a user   ${shareOf(0.5)} µs, p99 ${shareOf(0.99)} µs (bar 2000 µs)`);
console.log(`decision, RBAC              ${(await perDecision(authorizer)).toFixed(2)} µs`);
console.log(`decision, AlwaysAllow       ${(await perDecision(union([alwaysAllow]))).toFixed(2)} µs`);

async function perDecision(one: Authorizer): Promise<number> {
  const before = performance.now();
  for (let at = 0; at < 50_000; at++) await one.authorize(questionOf(at % BINDINGS), signal);
  return ((performance.now() - before) * 1000) / 50_000;
}

const RBAC_PATH = `/apis/${GROUP}/v1`;
const servers = await Promise.all((['RBAC', 'AlwaysAllow'] as const).map((mode) => startTestServer({ controllers: 'none', authorization: { modes: [mode] } })));
for (const server of servers) {
  for (let at = 0; at < ROLES; at++) await server.request('POST', `${RBAC_PATH}/clusterroles`, objectOf('ClusterRole', `role-${at}`, roleOf(at)));
  for (let at = 0; at < BINDINGS; at++) await server.request('POST', `${RBAC_PATH}/namespaces/default/rolebindings`, objectOf('RoleBinding', `binding-${at}`, bindingOf(at)));
  const mine = { ...bindingOf(7), subjects: [{ kind: 'User', name: 'alice', apiGroup: GROUP }] };
  await server.request('POST', `${RBAC_PATH}/clusterroles`, objectOf('ClusterRole', 'reader', { rules: [{ verbs: ['get'], apiGroups: [''], resources: ['configmaps'] }] }));
  await server.request('POST', `${RBAC_PATH}/namespaces/default/rolebindings`, objectOf('RoleBinding', 'alice', { ...mine, roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: 'reader' } }));
  await server.request('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'a' }, data: { key: 'value' } });
}
const BAR = 1.1;
const ratios: number[] = [];
const totals = [0, 0];
for (const server of servers) await perGet(server);
for (let round = 0; round < ROUNDS; round++) {
  // Alternating, and now one and now the other first: what else goes on in the machine meets both.
  const costs = [0, 0];
  for (const at of round % 2 === 0 ? [0, 1] : [1, 0]) {
    const server = servers[at];
    if (server !== undefined) costs[at] = await perGet(server);
  }
  const [withRules = 0, without = 1] = costs;
  ratios.push(withRules / without);
  totals.forEach((total, at) => (totals[at] = total + (costs[at] ?? 0) / ROUNDS));
}
ratios.sort((a, b) => a - b);
const [withRules = 0, without = 1] = totals;
const ratio = ratios[Math.floor(ratios.length / 2)] ?? 0;
console.log(`CPU of a GET with RBAC      ${withRules.toFixed(1)} µs, with AlwaysAllow ${without.toFixed(1)} µs`);
console.log(`ratio, median of ${ROUNDS} rounds  ${ratio.toFixed(3)} (bar ${BAR})${ratio > BAR ? '  above' : ''}`);
await Promise.all(servers.map((server) => server.close()));

/** Microseconds of processor time, of everything between a request and its answer. */
async function perGet(server: (typeof servers)[number]): Promise<number> {
  const count = 1_000;
  const before = process.cpuUsage();
  for (let n = 0; n < count; n++) {
    const { status } = await server.request('GET', '/api/v1/namespaces/default/configmaps/a', undefined, { authorization: 'Bearer alicetoken' });
    if (status !== 200) throw new Error(`GET answers ${status}`);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}
