// The roles and bindings of a new server, against those of a recorded Kubernetes 1.23 server: as objects, and by what they allow.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { DIALECTS, type ApiObject, type Dialect } from '#api';
import { Policy, rbac, type PolicyKind } from '#authorization';
import type { Question, User } from '#request';
import { startTestServer, type TestJson, type TestServer } from '#testing';
import { expect, expectFailure } from './world.ts';

interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}
interface Recorded {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels: Readonly<Record<string, string>> };
  readonly rules?: readonly Rule[] | null;
  readonly aggregationRule?: { readonly clusterRoleSelectors: readonly { readonly matchLabels: Readonly<Record<string, string>> }[] };
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[];
  readonly roleRef?: { readonly kind: string; readonly name: string };
}
type All = Readonly<Record<PolicyKind, readonly Recorded[]>>;

const PLURALS: Readonly<Record<PolicyKind, string>> = {
  ClusterRole: 'clusterroles',
  Role: 'roles',
  ClusterRoleBinding: 'clusterrolebindings',
  RoleBinding: 'rolebindings',
};
const KINDS = Object.keys(PLURALS) as PolicyKind[];

/** The recorded objects, spelled in the dialect. */
async function recorded(dialect: Dialect): Promise<All> {
  const { mapValue, getDialect } = (await import(path.resolve('test/conformance/runner/lib/dialect.mjs'))) as {
    readonly mapValue: (value: unknown, dialect: object) => All;
    readonly getDialect: (name: string) => object;
  };
  const packed = readFileSync(path.resolve('test/golden/bootstrap-policy.json.br'));
  return mapValue(JSON.parse(brotliDecompressSync(packed).toString('utf8')), getDialect(dialect));
}

const rbacPath = (dialect: Dialect): string => `/apis/rbac.authorization.${dialect === 'orch' ? 'orch.io' : 'k8s.io'}/v1`;

async function standing(server: TestServer, dialect: Dialect): Promise<Readonly<Record<PolicyKind, readonly ApiObject[]>>> {
  const lists = await Promise.all(
    KINDS.map(async (kind) => {
      const { items } = expect(200, await server.request('GET', `${rbacPath(dialect)}/${PLURALS[kind]}`));
      return [kind, items] as const;
    }),
  );
  return Object.fromEntries(lists) as Readonly<Record<PolicyKind, readonly ApiObject[]>>;
}

/** Without what every server makes anew. */
function bare({ metadata, kind: _, apiVersion: __, ...object }: ApiObject): object {
  const { name, namespace, labels, annotations } = metadata;
  return { metadata: { name, ...(namespace === undefined ? {} : { namespace }), labels, annotations }, ...object };
}

/** Slow and plain: the rules of a role, those of roles it is put together from included. */
function rulesOf(all: All, role: Recorded): readonly Rule[] {
  if (role.aggregationRule === undefined) return role.rules ?? [];
  const parts = all.ClusterRole.filter((other) =>
    role.aggregationRule?.clusterRoleSelectors.some(({ matchLabels }) => Object.entries(matchLabels).every(([label, value]) => other.metadata.labels[label] === value)),
  );
  return parts.flatMap((part) => rulesOf(all, part));
}

function allows(rule: Rule, { isResourceRequest, verb, path: asked, group, resource, subresource, name }: Question): boolean {
  if (!rule.verbs.includes('*') && !rule.verbs.includes(verb)) return false;
  if (!isResourceRequest) return (rule.nonResourceURLs ?? []).some((url) => (url.endsWith('*') ? asked.startsWith(url.slice(0, -1)) : url === asked));
  if (!rule.apiGroups?.includes('*') && !rule.apiGroups?.includes(group)) return false;
  if (rule.resourceNames !== undefined && !rule.resourceNames.includes(name)) return false;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  return rule.resources?.some((one) => one === '*' || one === what || (subresource !== '' && one === `*/${subresource}`)) ?? false;
}

/** The rules somebody has by the recorded bindings, and those of the role held besides. Only bindings of the cluster count for paths. */
function rulesFor(all: All, user: User, held: Recorded | undefined, namespace: string | undefined): readonly Rule[] {
  const roles: Recorded[] = held === undefined ? [] : [held];
  for (const binding of [...all.ClusterRoleBinding, ...all.RoleBinding]) {
    const at = binding.metadata.namespace;
    if (at !== undefined && at !== namespace) continue;
    const isMeant = binding.subjects?.some((subject) => {
      if (subject.kind === 'Group') return user.groups.includes(subject.name);
      return user.name === (subject.kind === 'User' ? subject.name : `system:serviceaccount:${subject.namespace}:${subject.name}`);
    });
    if (isMeant !== true) continue;
    const { kind, name } = binding.roleRef ?? { kind: '', name: '' };
    const pool = kind === 'ClusterRole' ? all.ClusterRole : all.Role.filter(({ metadata }) => metadata.namespace === at);
    roles.push(...pool.filter(({ metadata }) => metadata.name === name));
  }
  return roles.flatMap((role) => rulesOf(all, role));
}

const some = (values: Iterable<string>, ...more: string[]): readonly string[] => [...new Set([...values, ...more])];

/** Everything the recorded rules speak about, and things none of them does. */
function vocabulary(all: All): readonly Omit<Question, 'user'>[] {
  const rules = [...all.ClusterRole, ...all.Role].flatMap(({ rules: list }) => list ?? []);
  const verbs = some(rules.flatMap((rule) => rule.verbs), 'fly').filter((verb) => verb !== '*');
  const pairs = some(rules.flatMap(({ apiGroups = [], resources = [] }) => apiGroups.flatMap((group) => resources.map((resource) => `${group} ${resource}`))), 'example.com things', ' things');
  const named = rules.flatMap(({ resourceNames = [], resources = [] }) => (resources.length === 0 ? [] : resourceNames));
  const about = { apiPrefix: '', version: '', parts: [] };
  const questions: Omit<Question, 'user'>[] = [];
  for (const pair of pairs) {
    const [group = '', what = ''] = pair.replaceAll('*', 'any').split(' ');
    const [resource = '', subresource = ''] = what.split('/');
    for (const verb of verbs) {
      questions.push({ ...about, isResourceRequest: true, path: '', verb, group, resource, subresource, namespace: '', name: '' });
    }
    for (const name of some(named)) questions.push({ ...about, isResourceRequest: true, path: '', verb: 'update', group, resource, subresource, namespace: '', name });
  }
  const paths = some(rules.flatMap(({ nonResourceURLs = [] }) => nonResourceURLs.map((url) => url.replace('*', 'below'))), '/', '/below');
  for (const url of paths) for (const verb of verbs) questions.push({ ...about, isResourceRequest: false, path: url, verb, group: '', resource: '', subresource: '', namespace: '', name: '' });
  return questions;
}

for (const dialect of DIALECTS) {
  test(`R2.15-04 R2.15-07 R2.15-15 every default role gives the recorded answers: ${dialect}`, async () => {
    const all = await recorded(dialect);
    const server = await startTestServer({ dialect, controllers: 'none' });
    const objects = await standing(server, dialect);
    await server.close();
    const policy = new Policy();
    for (const kind of KINDS) for (const object of objects[kind]) policy.put(kind, object);
    const hold = ({ metadata }: Recorded): string => `holder of ${metadata.name}`;
    for (const role of all.ClusterRole) {
      const roleRef = { apiGroup: '', kind: 'ClusterRole', name: role.metadata.name };
      policy.put('ClusterRoleBinding', { kind: '', apiVersion: '', metadata: { name: hold(role) }, subjects: [{ kind: 'User', name: hold(role) }], roleRef } as ApiObject);
    }
    const authorizer = rbac(policy, '');
    const questions = vocabulary(all);
    let [decisions, allowed] = [0, 0];
    const compare = (user: User, held: Recorded | undefined, namespace: string, take: (at: number) => boolean): void => {
      const [onResources, onPaths] = [rulesFor(all, user, held, namespace), rulesFor(all, user, held, undefined)];
      questions.forEach((about, at) => {
        if (!take(at)) return;
        const question: Question = { ...about, namespace: about.isResourceRequest ? namespace : '', user };
        const may = (about.isResourceRequest ? onResources : onPaths).some((rule) => allows(rule, question));
        const { verdict } = authorizer.authorize(question, AbortSignal.abort()) as { readonly verdict: string };
        if ((verdict === 'allow') !== may) assert.fail(`${verdict} for ${JSON.stringify(question)}`);
        decisions++;
        if (may) allowed++;
      });
    };
    all.ClusterRole.forEach((role, who) => compare({ name: hold(role), groups: [] }, role, '', (at) => (at + who) % 3 > 0));
    // Those whom bindings name, in every namespace a binding is in. A part of the questions for each of them all.
    const bindings = [...all.ClusterRoleBinding, ...all.RoleBinding];
    const namespaces = some(bindings.flatMap(({ metadata }) => metadata.namespace ?? []), '', 'default');
    bindings.flatMap(({ subjects = [] }) => subjects).forEach(({ kind, name, namespace: home }, who) => {
      const user = kind === 'Group' ? { name: 'member', groups: [name] } : { name: kind === 'User' ? name : `system:serviceaccount:${home}:${name}`, groups: [] };
      for (const namespace of namespaces) compare(user, undefined, namespace, (at) => (at + who) % 11 === 0);
    });
    assert.ok(decisions > 100_000 && allowed > 5_000, `${decisions} decisions, ${allowed} allowed`);
  });

  test(`R2.15-18 roles and bindings of a new server are those recorded: ${dialect}`, async () => {
    const all = await recorded(dialect);
    const server = await startTestServer({ dialect, controllers: 'none', aggregateRoles: false });
    const objects = await standing(server, dialect);
    await server.close();
    for (const kind of KINDS) {
      const nameOf = ({ metadata: { namespace = '', name = '' } }: Pick<ApiObject, 'metadata'> | Recorded): string => `${namespace}/${name}`;
      assert.deepEqual(objects[kind].map(nameOf).sort(), all[kind].map(nameOf).sort(), kind);
      for (const one of all[kind]) assert.deepEqual(objects[kind].filter((other) => nameOf(other) === nameOf(one)).map(bare), [one], nameOf(one));
    }
  });

  test(`what the server makes past the gates belongs to it, and who applies it differently is told so: ${dialect}`, async () => {
    const server = await startTestServer({ dialect, controllers: 'none' });
    const domain = dialect === 'orch' ? 'orch.io' : 'k8s.io';
    const role = `${rbacPath(dialect)}/clusterroles/system:basic-user`;
    const made = [role, `${rbacPath(dialect)}/clusterrolebindings/system:basic-user`, `/apis/apiregistration.${domain}/v1/apiservices/v1.apps`];
    for (const one of made) {
      const { metadata } = expect(200, await server.request('GET', one));
      const owners = (metadata.managedFields ?? []).map(({ manager, operation, subresource = '' }: TestJson) => `${manager} ${operation} ${subresource}`);
      assert.deepEqual(owners.filter((owner: string) => !owner.endsWith('status')), ['kube-apiserver Update '], one);
    }
    const { metadata } = expect(200, await server.request('GET', role));
    assert.deepEqual(Object.keys(metadata.managedFields[0].fieldsV1), ['f:metadata', 'f:rules']);
    const other = { apiVersion: rbacPath(dialect).slice('/apis/'.length), kind: 'ClusterRole', metadata: { name: 'system:basic-user' }, rules: [] };
    const refused = await server.patch('apply', `${role}?fieldManager=me`, other);
    assert.match(expectFailure(409, 'Conflict', refused).message, /conflict with "kube-apiserver" using .*: \.rules$/);
    await server.close();
  });
}
