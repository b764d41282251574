import type { ApiObject, Brand } from '#api';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '#kinds';
import { CLUSTER_ROLE_BINDINGS, ROLE_BINDINGS } from './bindings.table.ts';
import { CLUSTER_ROLES } from './cluster-roles.table.ts';
import { ROLES } from './roles.table.ts';
import { spelled, type BindingRow, type RoleRow, type RuleRow } from './row.ts';

type Parts = Pick<ClusterRole, 'rules' | 'aggregationRule'> & Pick<ClusterRoleBinding, 'subjects' | 'roleRef'>;

/** A role or a binding, of a namespace or of the whole cluster. */
export type PolicyObject = ApiObject & Partial<Parts>;

type Rule = NonNullable<Role['rules']>[number];
type Subject = NonNullable<RoleBinding['subjects']>[number];

/** How aggregated roles start: `whole`, with the rules of the roles they aggregate, or `empty` until the aggregation controller fills them. */
export type Aggregated = 'whole' | 'empty';

/** The roles and bindings of a new server. @spec 2.15 */
export function bootstrapPolicy(brand: Brand, aggregated: Aggregated): readonly PolicyObject[] {
  return [
    ...CLUSTER_ROLES.map((row) => roleOf(row, brand, aggregated)),
    ...CLUSTER_ROLE_BINDINGS.map((row) => bindingOf(row, brand)),
    ...ROLES.map((row) => roleOf(row, brand, aggregated)),
    ...ROLE_BINDINGS.map((row) => bindingOf(row, brand)),
  ];
}

function roleOf(row: RoleRow, brand: Brand, aggregated: Aggregated): PolicyObject {
  const { namespace, name, into, from } = row;
  const labels = into === undefined ? {} : { [aggregateTo(into, brand)]: 'true' };
  const rules = from === undefined ? row.rules : aggregated === 'whole' ? collected(from, new Set()) : undefined;
  const selector = { matchLabels: { [aggregateTo(from ?? '', brand)]: 'true' } };
  const aggregation = from === undefined ? {} : { aggregationRule: { clusterRoleSelectors: [selector] } };
  const kind = namespace === undefined ? 'ClusterRole' : 'Role';
  return { ...head(kind, name, namespace, labels, brand), rules: rules?.map((rule) => ruleOf(rule, brand)) ?? null, ...aggregation };
}

/** The rules of all roles that belong to `target`, directly or through others. */
function collected(target: string, seen: Set<RoleRow>): readonly RuleRow[] {
  const rules: RuleRow[] = [];
  for (const row of CLUSTER_ROLES) {
    if (row.into !== target || seen.has(row)) continue;
    seen.add(row);
    rules.push(...(row.from === undefined ? row.rules : collected(row.from, seen)));
  }
  return rules;
}

const aggregateTo = (role: string, brand: Brand): string => `${brand.group('rbac')}/aggregate-to-${role}`;

function ruleOf(row: RuleRow, brand: Brand): Rule {
  const [verbs, scope, resources, names] = row;
  if (resources === undefined) return { verbs: words(verbs), nonResourceURLs: words(scope) };
  const rule = { verbs: words(verbs), apiGroups: words(scope).map((group) => groupOf(group, brand)), resources: words(resources) };
  return names === undefined ? rule : { ...rule, resourceNames: words(spelled(names, brand)) };
}

const words = (text: string): string[] => text.split(' ');
const groupOf = (neutral: string, brand: Brand): string => (neutral === '*' ? neutral : brand.group(neutral === 'core' ? '' : neutral));

function bindingOf({ namespace, name, role = name, to }: BindingRow, brand: Brand): PolicyObject {
  const kind = namespace === undefined ? 'ClusterRole' : 'Role';
  const subjects = to.map((subject) => subjectOf(subject, brand));
  return {
    ...head(`${kind}Binding`, name, namespace, {}, brand),
    ...(subjects.length === 0 ? {} : { subjects }),
    roleRef: { apiGroup: brand.group('rbac'), kind, name: spelled(role, brand) },
  };
}

function subjectOf(text: string, brand: Brand): Subject {
  const [kind = '', name = ''] = text.split(' ');
  if (kind === 'ServiceAccount') return { kind, name, namespace: brand.names.systemNamespace };
  return { kind, apiGroup: brand.group('rbac'), name };
}

type Labels = Readonly<Record<string, string>>;

function head(kind: string, name: string, namespace: string | undefined, labels: Labels, brand: Brand): ApiObject {
  const { domain } = brand.names;
  return {
    kind,
    apiVersion: `${brand.group('rbac')}/v1`,
    metadata: {
      name: spelled(name, brand),
      ...(namespace === undefined ? {} : { namespace: spelled(namespace, brand) }),
      labels: { [`${domain}/bootstrapping`]: 'rbac-defaults', ...labels },
      annotations: { [`rbac.authorization.${domain}/autoupdate`]: 'true' },
    },
  };
}
