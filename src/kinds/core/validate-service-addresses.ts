import { checkIp, familyOf, report } from '#api';
import { isDeepEqual } from '#base';
import { FieldErrors, goTexts } from '#errors';
import { hasClusterIp, isFree, isHeadless, type ServiceSpec } from './service-spec.ts';

const FAMILIES = ['IPv4', 'IPv6'];
const POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];

/** Validates the cluster IPs of a service and their families. */
export function validateServiceAddresses(spec: ServiceSpec, at: FieldErrors): void {
  if (spec.type === 'ExternalName') return;
  const ips = spec.clusterIPs ?? [];
  const families = spec.ipFamilies ?? [];
  const here = at.child('clusterIPs');
  if (!spec.clusterIP) {
    if (ips.length > 0) here.invalid(ips, 'must be empty when `clusterIP` is not specified');
  } else if (ips[0] !== spec.clusterIP) here.invalid(ips, 'first value must match `clusterIP`');
  validateFamilies(families, at.child('ipFamilies'));
  const policy = spec.ipFamilyPolicy;
  if (policy !== undefined && !POLICIES.includes(policy)) at.child('ipFamilyPolicy').notSupported(policy, POLICIES);
  if (!validateIps(ips, here)) return;
  if (ips.length > 1 && new Set(ips.map(familyOf)).size < MAX_FAMILIES) here.invalid(ips, 'may specify no more than one IP for each IP family');
  validateMatch(ips, families, here);
}

const MAX_FAMILIES = 2;

/** Returns whether all are IP addresses, so that further checks make sense. */
function validateIps(ips: readonly string[], at: FieldErrors): boolean {
  let areAddresses = true;
  for (const [position, ip] of ips.entries()) {
    const isNone = position === 0 && ip === 'None';
    if (isNone && ips.length > 1) at.invalid(ips, `'None' must be the first and only value`);
    if (isNone ? ips.length > 1 : !report(at.index(position), ip, checkIp(ip))) areAddresses = false;
  }
  if (ips.length > MAX_FAMILIES) at.invalid(ips, `may only hold up to ${MAX_FAMILIES} values`);
  return areAddresses;
}

function validateFamilies(families: readonly string[], at: FieldErrors): void {
  const seen = new Set<string>();
  for (const [position, family] of families.entries()) {
    if (!FAMILIES.includes(family)) at.index(position).notSupported(family, FAMILIES);
    if (seen.has(family)) at.index(position).duplicate(family);
    seen.add(family);
  }
}

function validateMatch(ips: readonly string[], families: readonly string[], at: FieldErrors): void {
  for (const [position, ip] of ips.entries()) {
    const [is, wanted] = [familyOf(ip), families[position]];
    if (is !== undefined && wanted !== undefined && FAMILIES.includes(wanted) && is !== wanted) {
      at.index(position).invalid(ip, `expected an ${wanted} value as indicated by \`ipFamilies[${position}]\``);
    }
  }
}

const ONE = { clusterIPs: 'cluster IP', ipFamilies: 'IP family' } as const;
const MANY = { clusterIPs: 'cluster IPs', ipFamilies: 'IP families' } as const;

/**
 * The faults that prevent the allocation of addresses; empty: none. Validates the request before defaults are added; the first kind of fault hides
 * the others. `configured`: the families that addresses are allocated from.
 */
export function refuseAddresses(next: ServiceSpec, live: ServiceSpec | undefined, configured: readonly string[] = ['IPv4']): FieldErrors {
  const at = new FieldErrors('spec');
  if (!hasClusterIp(next) || areFamiliesSettled(next, live)) return at;
  validateServiceAddresses(next, at);
  if (at.isEmpty) validateFamilyPolicy(next, live, at, configured);
  if (at.isEmpty && !isFree(next)) validateFamiliesConfigured(next, at, configured);
  return at;
}

/** Whether a `PreferDualStack` service keeps its addresses and families: they are not validated again, even if the configured families changed. */
export function areFamiliesSettled(next: ServiceSpec, live: ServiceSpec | undefined): boolean {
  if (live === undefined || live.type !== next.type || next.ipFamilyPolicy !== 'PreferDualStack') return false;
  const isPolicyKept = live.ipFamilyPolicy === undefined || live.ipFamilyPolicy === 'PreferDualStack';
  return isPolicyKept && isDeepEqual(next.clusterIPs ?? [], live.clusterIPs ?? []) && isDeepEqual(next.ipFamilies ?? [], live.ipFamilies ?? []);
}

/** Validates that the policy fits the number of families. */
function validateFamilyPolicy(next: ServiceSpec, live: ServiceSpec | undefined, at: FieldErrors, configured: readonly string[]): void {
  const policy = next.ipFamilyPolicy;
  for (const member of ['clusterIPs', 'ipFamilies'] as const) {
    const [now, before] = [next[member]?.length ?? 0, live?.[member]?.length ?? 0];
    if (policy === 'SingleStack' && now === MAX_FAMILIES) {
      at.child('ipFamilyPolicy').invalid(policy, `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${MANY[member]} are specified`);
    } else if (policy !== 'SingleStack' && now > 0 && now < before) {
      at.child('ipFamilyPolicy').invalid(policy ?? null, `must be 'SingleStack' to release the secondary ${ONE[member]}`);
    }
  }
  for (const [position, ip] of (next.clusterIPs ?? []).entries()) {
    const family = familyOf(ip);
    const isNamed = position < (next.ipFamilies ?? []).length;
    if (family !== undefined && !isNamed && !configured.includes(family)) at.child('clusterIPs').index(position).invalid(next.clusterIPs, `${family} is not configured on this cluster`);
  }
}

function validateFamiliesConfigured(spec: ServiceSpec, at: FieldErrors, configured: readonly string[]): void {
  if (spec.ipFamilyPolicy === 'RequireDualStack' && configured.length < 2) {
    at.child('ipFamilyPolicy').invalid(spec.ipFamilyPolicy, 'this cluster is not configured for dual-stack services');
  }
  for (const [position, family] of (spec.ipFamilies ?? []).entries()) {
    if (!configured.includes(family)) at.child('ipFamilies').index(position).invalid(family, 'not configured on this cluster');
  }
}

/** The first address and its family are immutable as long as the service has any; second ones may be added and removed. */
export function validateAddressesKept(next: ServiceSpec, live: ServiceSpec, at: FieldErrors): void {
  if (next.type === 'ExternalName' || live.type === 'ExternalName') return;
  const [isNone, wasNone] = [isHeadless(next), isHeadless(live)];
  if (isNone && wasNone) return;
  const ips = next.clusterIPs ?? [];
  for (const position of changesOf(ips, live.clusterIPs ?? [])) at.child('clusterIPs').index(position).invalid(ips, 'may not change once set');
  if (isNone || wasNone) return;
  const families = next.ipFamilies ?? [];
  const before = live.ipFamilies ?? [];
  // Where the number of families changes, kube-apiserver shows the addresses instead.
  const shown = families.length === before.length ? goTexts(families, 'core.IPFamily') : ips;
  for (const _ of changesOf(families, before)) at.child('ipFamilies').index(0).invalid(shown, 'may not change once set');
}

/** Positions of changed entries; where the number of entries changes, only the first is compared. */
function changesOf(now: readonly string[], before: readonly string[]): readonly number[] {
  const compared = now.length === before.length ? now.length : Math.min(1, now.length, before.length);
  return [...Array(compared).keys()].filter((position) => now[position] !== before[position]);
}
