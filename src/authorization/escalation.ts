import { isDeepEqual } from '#base';
import { badRequest, forbidden, inOneMessage, notFound, withoutReason, type ApiError } from '#errors';
import { groupResourceOf, nameParameterFailure, type ApiObject, type Brand, type Resource } from '#api';
import type { ClusterRole } from '#kinds';
import type { AccessRule, Authorizer, Question, User } from '#request';
import { EVERYTHING, isPrivileged } from './modes/always.ts';
import { type AnyBinding, type Granted, type Rule, type StoredPolicy, storedRulesFor, storedRulesOf, uncovered } from './modes/rbac/index.ts';

/** A role or binding that is about to be written. */
export interface PolicyWrite {
  readonly resource: Resource;
  readonly user: User;
  readonly namespace: string;
  /** The name that the permission is about: an object that a POST creates has none yet, one that an update or apply creates has. */
  readonly nameInPath: string;
  readonly object: ApiObject;
  readonly live: ApiObject | undefined;
}

/**
 * Prevents privilege escalation: the writer of a role must hold its rules or have the verb `escalate`, the writer of a binding must hold the rules of
 * its role or have the verb `bind` on it. The check throws `Forbidden`, and `NotFound` or `BadRequest` where the role of a binding cannot be read.
 * Rules count as they are stored at the time of the check: another server on the store may have changed them just now.
 * @spec 2.15
 */
export function escalationCheck(stored: StoredPolicy, authorizer: Authorizer, brand: Brand): EscalationCheck {
  const gate: Gate = { stored, authorizer, group: brand.group('rbac') };
  return async (write, signal) => {
    if (isPrivileged(write.user)) return;
    if (write.live !== undefined && isDeepEqual(substance(write.object), substance(write.live))) return;
    await (write.resource.kind.kind.endsWith('Binding') ? checkBinding(gate, write, signal) : checkRole(gate, write, signal));
  };
}

/** Throws `Forbidden` where the write would grant more than the writer holds, `NotFound` or `BadRequest` where the role of a binding cannot be read. */
export type EscalationCheck = (write: PolicyWrite, signal: AbortSignal) => Promise<void>;

interface Gate {
  readonly stored: StoredPolicy;
  readonly authorizer: Authorizer;
  /** API group of roles, as served. */
  readonly group: string;
}

/** The kinds of role that a binding may name, and their resources. */
const ROLES: ReadonlyMap<string, string> = new Map([
  ['Role', 'roles'],
  ['ClusterRole', 'clusterroles'],
]);

async function checkRole(gate: Gate, write: PolicyWrite, signal: AbortSignal): Promise<void> {
  if (await may(gate, write, { verb: 'escalate', resource: write.resource.kind.plural, name: write.nameInPath }, signal)) return;
  const { rules } = write.object as { rules?: readonly Rule[] | null };
  const held = await storedRulesFor(gate.stored, write.user, write.namespace);
  confirm(gate, write, held, rules ?? []);
  // The rules of an aggregated role can become anything.
  if (isAggregated(write.object) || isAggregated(write.live)) {
    confirm(gate, write, held, EVERYTHING, 'must have cluster-admin privileges to use the aggregationRule');
  }
}

async function checkBinding(gate: Gate, write: PolicyWrite, signal: AbortSignal): Promise<void> {
  const { roleRef } = write.object as unknown as AnyBinding;
  const resource = ROLES.get(roleRef.kind);
  // Also for an administrator by RBAC: there is nothing that a permission to bind could be about.
  if (resource === undefined) throw withoutReason(`unsupported role reference kind: ${JSON.stringify(roleRef.kind)}`);
  if (await may(gate, write, { verb: 'bind', resource, name: roleRef.name }, signal)) return;
  const rules = await storedRulesOf(gate.stored, roleRef, write.namespace);
  if (rules === undefined) throw missingRole(gate, roleRef, write.namespace);
  confirm(gate, write, await storedRulesFor(gate.stored, write.user, write.namespace), rules);
}

/** The error for a role that does not exist, or that has no namespace or name to be read by. */
function missingRole({ group }: Gate, { kind, name }: AnyBinding['roleRef'], namespace: string): ApiError {
  if (kind === 'Role' && namespace === '') return badRequest('Namespace parameter required.');
  return nameParameterFailure(name) ?? notFound({ group, resource: ROLES.get(kind) ?? '' }, name);
}

async function may(
  { authorizer, group }: Gate,
  { user, namespace }: PolicyWrite,
  what: Pick<Question, 'verb' | 'resource' | 'name'>,
  signal: AbortSignal,
): Promise<boolean> {
  const path = { path: '', apiPrefix: 'apis', version: '*', subresource: '', parts: [] } as const;
  return (await authorizer.authorize({ ...path, ...what, isResourceRequest: true, group, namespace, user }, signal)).verdict === 'allow';
}

/**
 * Throws `Forbidden` where the rules are more than the writer holds through RBAC. Permissions from other authorizers do not count: they may be
 * limited in ways that no rule expresses, and would lose those limits in a role.
 */
function confirm(gate: Gate, { user, namespace, resource, object }: PolicyWrite, held: Granted, wanted: readonly Rule[], why?: string): void {
  const missing = uncovered(held.rules, wanted);
  if (missing.length === 0) return;
  const failures = new Set(held.missing.map((roleRef) => missingRole(gate, roleRef, namespace).message));
  const more = failures.size === 0 ? '' : `; resolution errors: [${inOneMessage([...failures])}]`;
  throw forbidden(groupResourceOf(resource), object.metadata.name ?? '', why ?? `${sentence(user, missing)}${more}`);
}

const isAggregated = (object: ApiObject | undefined): boolean =>
  ((object as { aggregationRule?: ClusterRole['aggregationRule'] | null } | undefined)?.aggregationRule?.clusterRoleSelectors ?? []).length > 0;

/**
 * The object without what the garbage collector changes when it orphans dependents. The rest must be sent as it is stored: a body without uid or
 * resourceVersion counts as a change.
 */
function substance({ metadata, ...body }: ApiObject): object {
  const { managedFields: _, ownerReferences: _1, finalizers: _2, ...rest } = metadata;
  return { ...body, metadata: rest };
}

function sentence({ name, groups }: User, missing: readonly AccessRule[]): string {
  const rules = [...new Set(together(missing).map(shown))].sort().join('\n');
  return `user ${JSON.stringify(name)} (groups=${quoted(groups)}) is attempting to grant RBAC permissions not currently held:\n${rules}`;
}

/** Merges rules about the same group and resource and, if any, the same name. */
function together(rules: readonly AccessRule[]): readonly AccessRule[] {
  const found = new Map<string, AccessRule & { readonly verbs: string[] }>();
  for (const rule of rules) {
    const { verbs, ...about } = rule;
    const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = about;
    const isSimple = apiGroups.length === 1 && resources.length === 1 && resourceNames.length <= 1 && nonResourceURLs.length === 0;
    const key = isSimple ? JSON.stringify([apiGroups, resources, resourceNames]) : String(found.size);
    const known = found.get(key);
    if (known === undefined) found.set(key, { ...about, verbs: [...verbs] });
    else known.verbs.push(...verbs);
  }
  return [...found.values()];
}

const quoted = (texts: readonly string[]): string => `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`;

const MEMBERS = {
  apiGroups: 'APIGroups',
  resources: 'Resources',
  resourceNames: 'ResourceNames',
  nonResourceURLs: 'NonResourceURLs',
  verbs: 'Verbs',
} as const;

function shown(rule: AccessRule): string {
  const parts = Object.entries(MEMBERS).flatMap(([member, label]) => {
    const list = rule[member as keyof typeof MEMBERS] ?? [];
    return list.length === 0 ? [] : [`${label}:${quoted(list)}`];
  });
  return `{${parts.join(', ')}}`;
}
