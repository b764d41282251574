import { canonicalJson, isDeepEqual } from '#base';
import { compileSelectorMessage } from '#api';
import { isRefusal, keyOf, source, type Controller } from '#client';
import { ClusterRole } from '#kinds';

type Rules = ClusterRole['rules'];

const MANAGER = 'clusterrole-aggregation-controller';

/** Maintains aggregated roles: they have the rules of every role that one of their selectors matches. @spec 2.15 */
export const roleAggregation: Controller<ClusterRole> = {
  name: 'clusterrole-aggregation',
  watches: ClusterRole,
  // Any role may be part of any aggregated role.
  also: [source(ClusterRole, (_role, env) => env.inform(ClusterRole).list().filter(isAggregate).map(keyOf))],
  async reconcile(key, { client, inform }) {
    const role = inform(ClusterRole).get(key);
    if (role === undefined || !isAggregate(role)) return undefined;
    const rules = collectRules(role, inform(ClusterRole).list());
    if (isDeepEqual(rules, role.rules ?? [])) return undefined;
    // With its uid: to apply is to create what is not there.
    const wanted = { metadata: { name: key.name, uid: role.metadata.uid }, rules };
    try {
      // Server-side apply, so that the rules have a field manager: a user who applies rules to such a role gets a conflict that names it.
      await client.of(ClusterRole).patch(key, 'apply', wanted, { fieldManager: MANAGER, force: true });
    } catch (cause) {
      // The role has gone, or another has taken its place, which is heard of.
      if (!isRefusal(cause, 'Conflict', 'NotFound')) throw cause;
    }
    return undefined;
  },
};

const isAggregate = ({ aggregationRule }: ClusterRole): boolean => aggregationRule !== undefined;

/** In order of the selectors, and for each of the roles' names. Each rule once: a role may have tens of thousands. */
export function collectRules({ metadata, aggregationRule }: ClusterRole, roles: readonly ClusterRole[]): NonNullable<Rules> {
  const others = roles.filter(({ metadata: { name } }) => name !== metadata.name).sort(byName);
  const selectors = (aggregationRule?.clusterRoleSelectors ?? []).map(compileSelectorMessage);
  const parts = new Set(selectors.flatMap((matches) => others.filter(({ metadata: { labels } }) => matches(labels))));
  const rules = new Map<string, NonNullable<Rules>[number]>();
  for (const { rules: own } of parts) {
    for (const rule of own ?? []) {
      const text = canonicalJson(rule);
      if (!rules.has(text)) rules.set(text, rule);
    }
  }
  return [...rules.values()];
}

const byName = (one: ClusterRole, other: ClusterRole): number => ((one.metadata.name ?? '') < (other.metadata.name ?? '') ? -1 : 1);
