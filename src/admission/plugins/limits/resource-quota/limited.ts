import { isJsonObject, isTexts, memberOf, type JsonObject } from '#base';
import { isInScope, quotaUsageOf, type ResourceQuota } from '#kinds';
import { configurationFault, requireKind } from '../../../configuration-kind.ts';
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

const NAME = 'ResourceQuota';
const CONFIGURATION = { kind: 'ResourceQuotaConfiguration', group: 'apiserver.config', version: 'v1' };
/** Before v1 kind and group had other names. */
const EARLIER = ['v1beta1', 'v1alpha1'].map((version) => ({ kind: 'Configuration', group: 'resourcequota', version }));
/** A scope with another operator would match nothing, and nobody would notice. */
const OPERATORS: readonly unknown[] = ['In', 'NotIn', 'Exists', 'DoesNotExist'];

/** Reads the `limitedResources` of a ResourceQuotaConfiguration. Throws an `Error` that says what is wrong. */
export function readLimitedResources(config: unknown): readonly LimitedResource[] {
  if (config === undefined) return [];
  const list = memberOf(requireKind(NAME, config, CONFIGURATION, ...EARLIER), 'limitedResources') ?? [];
  if (!Array.isArray(list)) throw wrong('limitedResources must be a list');
  return list.map((one: unknown, position) => readLimitedResource(isJsonObject(one) ? one : {}, `limitedResources[${position}]`));
}

function readLimitedResource(entry: JsonObject, where: string): LimitedResource {
  const [resource, apiGroup] = [memberOf(entry, 'resource'), memberOf(entry, 'apiGroup') ?? ''];
  // Clients in Go write null for an empty list.
  const [matchContains, matchScopes] = [memberOf(entry, 'matchContains') ?? [], memberOf(entry, 'matchScopes') ?? []];
  if (typeof resource !== 'string' || resource === '') throw wrong(`${where}.resource must name a resource`);
  if (typeof apiGroup !== 'string') throw wrong(`${where}.apiGroup must be a text`);
  if (!isTexts(matchContains)) throw wrong(`${where}.matchContains must be a list of texts`);
  if (!Array.isArray(matchScopes) || !matchScopes.every(isScope)) {
    throw wrong(`${where}.matchScopes must be a list of scopeName, operator (${OPERATORS.join(', ')}) and values`);
  }
  return { apiGroup, resource, matchContains, matchScopes };
}

const isScope = (value: unknown): value is Scope =>
  isJsonObject(value) && typeof value['scopeName'] === 'string' && OPERATORS.includes(value['operator']) && isTexts(value['values'] ?? []);

const wrong = (why: string): Error => configurationFault(NAME, why);
