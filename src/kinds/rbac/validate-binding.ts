import { checkDnsSubdomain, checkPathSegment, report, type HookContext } from '#api';
import { goStruct, type FieldErrors, type GoValue } from '#errors';
import { checkAsOften } from '../check-as-often.ts';
import { RBAC_GROUP, type Binding, type RoleRef, type Subject } from './binding-parts.ts';

/** The kinds of role that a binding of each scope may refer to. */
const GRANTABLE = { Namespaced: ['Role', 'ClusterRole'], Cluster: ['ClusterRole'] } as const;

interface Rules {
  readonly scope: keyof typeof GRANTABLE;
  /** API group of roles, as served. */
  readonly group: string;
}

/** Validates a binding, whose `roleRef` is immutable. */
export function validateBinding(next: Binding, live: Binding | undefined, scope: Rules['scope'], at: FieldErrors, { brand }: HookContext): void {
  const rules = { scope, group: brand.group(RBAC_GROUP) };
  checkAsOften(live, () => validateContent(next, rules, at));
  if (live !== undefined && !isSameRole(next.roleRef, live.roleRef)) at.child('roleRef').invalid(showRole(next.roleRef), 'cannot change roleRef');
}

function validateContent({ roleRef, subjects }: Binding, rules: Rules, at: FieldErrors): void {
  validateRoleRef(roleRef, rules, at.child('roleRef'));
  for (const [position, subject] of (subjects ?? []).entries()) validateSubject(subject, rules, at.child('subjects').index(position));
}

const showRole = ({ apiGroup, kind, name }: RoleRef): GoValue => goStruct('rbac.RoleRef', { APIGroup: apiGroup, Kind: kind, Name: name });

const isSameRole = (one: RoleRef, other: RoleRef): boolean =>
  one.apiGroup === other.apiGroup && one.kind === other.kind && one.name === other.name;

function validateRoleRef({ apiGroup, kind, name }: RoleRef, { scope, group }: Rules, at: FieldErrors): void {
  if (apiGroup !== group) at.child('apiGroup').notSupported(apiGroup, [group]);
  if (!GRANTABLE[scope].some((known) => known === kind)) at.child('kind').notSupported(kind, GRANTABLE[scope]);
  if (name === '') at.child('name').required();
  else report(at.child('name'), name, checkPathSegment(name));
}

function validateSubject(subject: Subject, rules: Rules, at: FieldErrors): void {
  if (subject.name === '') at.child('name').required();
  if (subject.kind === 'ServiceAccount') validateServiceAccount(subject, rules, at);
  else if (subject.kind === 'User' || subject.kind === 'Group') validatePrincipal(subject, rules, at);
  else at.child('kind').notSupported(subject.kind, ['ServiceAccount', 'User', 'Group']);
}

function validateServiceAccount({ name, namespace, apiGroup }: Subject, { scope }: Rules, at: FieldErrors): void {
  if (name !== '') report(at.child('name'), name, checkDnsSubdomain(name));
  if (apiGroup) at.child('apiGroup').notSupported(apiGroup, ['']);
  if (scope === 'Cluster' && !namespace) at.child('namespace').required();
}

function validatePrincipal({ apiGroup }: Subject, { group }: Rules, at: FieldErrors): void {
  if (apiGroup !== group) at.child('apiGroup').notSupported(apiGroup ?? '', [group]);
}
