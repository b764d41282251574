import { isJsonObject } from '#base';
import { isInScope, quotaUsageOf, type ResourceQuota } from '#kinds';
import type { AdmissionEnv, AdmissionRequest } from '../../../plugin.ts';

type Scope = NonNullable<NonNullable<ResourceQuota['spec']['scopeSelector']>['matchExpressions']>[number];

/** An entry of `limitedResources`: a resource that may be used only where a quota covers it. */
export interface LimitedResource {
  readonly apiGroup: string;
  readonly resource: string;
  readonly matchContains: readonly string[];
  readonly matchScopes: readonly Scope[];
}

/** The usage of an object that a quota must cover. */
export interface LimitedUse {
  readonly names: readonly string[];
  readonly scopes: readonly Scope[];
}

/** The limited usage of an object; undefined: nothing limits it. The scopes of an entry are for pods, whichever resource the entry is about. */
export function limitedUse(
  limited: readonly LimitedResource[],
  { resource, object }: AdmissionRequest,
  { brand, clock }: AdmissionEnv,
): LimitedUse | undefined {
  if (object === undefined || limited.length === 0) return undefined;
  const subject = { group: resource.group, plural: resource.plural, object };
  const own = limited.filter((one) => one.apiGroup === resource.group && one.resource === resource.plural);
  const scopes = limited.flatMap(({ matchScopes }) => matchScopes.filter((scope) => isInScope(scope, subject)));
  if (own.length === 0 && scopes.length === 0) return undefined;
  const used = [...quotaUsageOf(subject, { brand, nowMs: clock.nowMs() })].flatMap(([name, { mantissa }]) => (mantissa > 0n ? [name] : []));
  return {
    names: [...new Set(own.flatMap(({ matchContains }) => used.filter((name) => matchContains.some((part) => name.includes(part)))))].sort(),
    scopes,
  };
}

/** Reads the `limitedResources` of a ResourceQuotaConfiguration. Throws an `Error` that says what is wrong. */
export function readLimitedResources(config: unknown): readonly LimitedResource[] {
  if (config === undefined) return [];
  const list = isJsonObject(config) ? (config['limitedResources'] ?? []) : undefined;
  if (!Array.isArray(list)) throw new Error('admission plugin ResourceQuota: limitedResources must be a list');
  return list.map((one: unknown, position) => {
    const at = `admission plugin ResourceQuota: limitedResources[${position}]`;
    if (!isJsonObject(one) || typeof one['resource'] !== 'string' || one['resource'] === '') throw new Error(`${at}.resource must name a resource`);
    const { apiGroup = '', resource, matchContains = [], matchScopes = [] } = one;
    if (typeof apiGroup !== 'string') throw new Error(`${at}.apiGroup must be a text`);
    if (!isTexts(matchContains)) throw new Error(`${at}.matchContains must be a list of texts`);
    if (!Array.isArray(matchScopes) || !matchScopes.every(isScope)) throw new Error(`${at}.matchScopes must be a list of scopeName, operator and values`);
    return { apiGroup, resource, matchContains, matchScopes };
  });
}

const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every((one) => typeof one === 'string');

const isScope = (value: unknown): value is Scope =>
  isJsonObject(value) && typeof value['scopeName'] === 'string' && typeof value['operator'] === 'string' && isTexts(value['values'] ?? []);
