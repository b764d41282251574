import { compareQuantities, addQuantities, formatQuantity, ZERO_QUANTITY, type Quantity } from '#schema';
import { withoutReason } from '#errors';
import { faultOfScope, isOfPod, scopesOf, type ResourceQuota } from '#kinds';
import { refuse, type AdmissionEnv } from '../../../plugin.ts';
import type { Account } from './account.ts';
import { concerns, limitedNames, matchedScopes, unsaid, type Charge } from './charge.ts';

type Scope = ReturnType<typeof scopesOf>[number];

const show = ({ scopeName, operator, values }: Scope): string => `{${scopeName} ${operator} [${(values ?? []).join(' ')}]}`;

/** The refusal of a pod where nobody can tell whether a quota counts it, because a scope of that cannot be used; undefined: all can. */
export function whyNotMatched({ subject }: Charge, quotas: readonly ResourceQuota[]): Error | undefined {
  if (!isOfPod(subject)) return undefined;
  for (const { metadata, spec } of quotas) {
    for (const scope of scopesOf(spec)) {
      const fault = faultOfScope(scope);
      if (fault === undefined) continue;
      return withoutReason(`error matching scopes of quota ${metadata.name ?? ''}, err: error on matching scope ${show(scope)}: failed to parse and convert selector: ${fault}`);
    }
  }
  return undefined;
}

/** The refusal of an object whose usage of a quota cannot be told; undefined: it can. */
export function whyNotMeasured(charge: Charge, { quota, used }: Account, env: AdmissionEnv): Error | undefined {
  const names = limitedNames(quota, charge, env);
  const { name = '' } = quota.metadata;
  const missing = unsaid(charge, names);
  if (missing.length > 0) return refuse(charge.request, `failed quota: ${name}: must specify ${missing.join(',')}`);
  return names.some((one) => !used.has(one)) ? refuse(charge.request, `status unknown for quota: ${name}, resources: ${names.join(',')}`) : undefined;
}

/** The refusal by a quota that counts the object; undefined: the object fits. */
export function whyNotInQuota(charge: Charge, { quota, hard, used }: Account, env: AdmissionEnv): Error | undefined {
  const names = limitedNames(quota, charge, env);
  const { name = '' } = quota.metadata;
  const exceeded = names.filter((one) => exceeds(charge.usage.get(one), used.get(one) ?? ZERO_QUANTITY, hard.get(one) ?? ZERO_QUANTITY));
  if (exceeded.length === 0) return undefined;
  const list = (amount: (one: string) => string): string => exceeded.map((one) => `${one}=${amount(one)}`).join(',');
  const requested = list((one) => formatQuantity(charge.usage.get(one) ?? ZERO_QUANTITY));
  const before = list((one) => formatQuantity(used.get(one) ?? ZERO_QUANTITY));
  return refuse(charge.request, `exceeded quota: ${name}, requested: ${requested}, used: ${before}, limited: ${list((one) => quota.status.hard?.[one] ?? '0')}`);
}

/** Without additional usage nothing is exceeded, even where the limit was lowered below the current usage. */
function exceeds(asked: Quantity | undefined, used: Quantity, hard: Quantity): boolean {
  return asked !== undefined && compareQuantities(addQuantities(used, asked), hard) > 0;
}

/** The refusal of an object that needs a quota: some of its usage is limited, and no quota covers that. */
export function whyNotCovered(charge: Charge, quotas: readonly ResourceQuota[], env: AdmissionEnv): Error | undefined {
  const { limits, request } = charge;
  if (limits === undefined || charge.usage.size === 0) return undefined;
  const counting = quotas.filter((quota) => concerns(quota, charge, env));
  const covered = new Set(counting.flatMap((quota) => limitedNames(quota, charge, env)));
  const names = limits.names.filter((name) => !covered.has(name));
  if (names.length > 0) return refuse(request, `insufficient quota to consume: ${names.join(',')}`);
  const scopes = new Set(quotas.flatMap((quota) => matchedScopes(quota, charge)));
  const uncovered = limits.scopes.filter(({ scopeName }) => !scopes.has(scopeName));
  return uncovered.length === 0 ? undefined : withoutReason(`insufficient quota to match these scopes: [${uncovered.map(show).join(' ')}]`);
}
