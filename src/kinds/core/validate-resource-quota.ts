import { report, type Faults } from '#api';
import { goStruct, goTexts, type FieldErrors, type GoValue } from '#errors';
import { goList } from '../go-values.ts';
import type { PodRules } from './pod/pod-rules.ts';
import { checkResourceName } from './pod/resource-names.ts';
import type { ResourceList } from './pod/resources.ts';
import { validateAmount } from './pod/validate-resources.ts';
import type { ResourceQuotaSpec, ScopedResourceSelectorRequirement, ScopeSelector } from './resource-quota-spec.ts';

const COMPUTE: readonly string[] = ['cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory'];
const QUOTA_RESOURCES: ReadonlySet<string> = new Set([
  ...COMPUTE,
  'ephemeral-storage',
  'limits.ephemeral-storage',
  'requests.ephemeral-storage',
  'requests.storage',
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'persistentvolumeclaims',
  'configmaps',
  'services.nodeports',
  'services.loadbalancers',
]);

const isHugePages = (name: string): boolean => name.startsWith('hugepages-') || name.startsWith('requests.hugepages-');
const isQuotaResource = (name: string): boolean => QUOTA_RESOURCES.has(name) || isHugePages(name);

function checkQuotaName(name: string): Faults {
  const faults = checkResourceName(name) ?? [];
  const all = name.includes('/') || isQuotaResource(name) ? faults : [...faults, 'must be a standard resource for quota'];
  return all.length === 0 ? undefined : all;
}

export function validateQuotaAmounts(amounts: ResourceList, at: FieldErrors, rules: PodRules): void {
  for (const [name, amount] of Object.entries(amounts)) {
    report(at.key(name), name, checkQuotaName(name));
    validateAmount(name, amount, at.key(name), rules);
  }
}

const POD_SCOPES: readonly string[] = ['Terminating', 'NotTerminating', 'NotBestEffort', 'PriorityClass', 'CrossNamespacePodAffinity'];
const SCOPES: readonly string[] = [...POD_SCOPES, 'BestEffort'];
/** Scopes without values: only `Exists` applies. */
const BARE_SCOPES: readonly string[] = SCOPES.filter((scope) => scope !== 'PriorityClass');
const BARE_FAULT =
  "must be 'Exist' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
const CONFLICTING = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;

/** Whether a scope applies to a resource that quotas know: only pods have scopes. */
function isScopeFor(scope: string, resource: string): boolean {
  return resource === 'pods' || (scope !== 'BestEffort' && COMPUTE.includes(resource));
}

const showScopes = (scopes: readonly string[] | null | undefined): GoValue => goTexts(scopes, 'core.ResourceQuotaScope');

export function validateQuotaScopes(spec: ResourceQuotaSpec, at: FieldErrors): void {
  const resources = Object.keys(spec.hard ?? {}).filter(isQuotaResource);
  const scopes = spec.scopes ?? [];
  const here = at.child('scopes');
  const shown = showScopes(scopes);
  for (const scope of scopes) {
    if (!SCOPES.includes(scope)) here.invalid(shown, 'unsupported scope');
    else validateResources(scope, resources, shown, here);
  }
  validateTogether(new Set(scopes), shown, here);
  if (spec.scopeSelector === undefined) return;
  const selector = at.child('scopeSelector', 'matchExpressions');
  validateSelector(spec.scopeSelector, resources, selector);
  // kube-apiserver shows the list of scopes for the selector, too.
  validateTogether(new Set((spec.scopeSelector.matchExpressions ?? []).map(({ scopeName }) => scopeName)), showScopes(spec.scopes), selector);
}

function validateResources(scope: string, resources: readonly string[], value: unknown, at: FieldErrors): void {
  for (const resource of resources) {
    if (at.isFull) return;
    if (!isScopeFor(scope, resource)) at.invalid(value, 'unsupported scope applied to resource');
  }
}

function validateTogether(scopes: ReadonlySet<string>, value: unknown, at: FieldErrors): void {
  for (const pair of CONFLICTING) if (pair.every((scope) => scopes.has(scope))) at.invalid(value, 'conflicting scopes');
}

/** The paths of expressions have no index, as in kube-apiserver. */
function validateSelector(selector: ScopeSelector, resources: readonly string[], at: FieldErrors): void {
  const shown = showSelector(selector);
  for (const one of selector.matchExpressions ?? []) {
    if (!SCOPES.includes(one.scopeName)) at.child('scopeName').invalid(one.scopeName, 'unsupported scope');
    else validateResources(one.scopeName, resources, shown, at);
    validateRequirement(one, at);
  }
}

function showSelector({ matchExpressions }: ScopeSelector): GoValue {
  const type = 'core.ScopedResourceSelectorRequirement';
  const items = matchExpressions?.map(({ scopeName, operator, values }) => goStruct(type, { ScopeName: scopeName, Operator: operator, Values: goTexts(values) }));
  return goStruct('core.ScopeSelector', { MatchExpressions: goList(type, items) });
}

function validateRequirement({ scopeName, operator, values }: ScopedResourceSelectorRequirement, at: FieldErrors): void {
  const count = (values ?? []).length;
  if (BARE_SCOPES.includes(scopeName) && operator !== 'Exists') at.child('operator').invalid(operator, BARE_FAULT);
  if (operator === 'In' || operator === 'NotIn') {
    if (count === 0) at.child('values').required(`must be at least one value when \`operator\` is 'In' or 'NotIn' for scope selector`);
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (count > 0) at.child('values').invalid(values, `must be no value when \`operator\` is 'Exist' or 'DoesNotExist' for scope selector`);
  } else at.child('operator').invalid(operator, 'not a valid selector operator');
}

export function validateScopesKept(next: ResourceQuotaSpec, live: ResourceQuotaSpec, at: FieldErrors): void {
  const before = new Set(live.scopes ?? []);
  const now = new Set(next.scopes ?? []);
  if (before.size !== now.size || [...now].some((scope) => !before.has(scope))) at.invalid(showScopes(next.scopes), 'field is immutable');
}
