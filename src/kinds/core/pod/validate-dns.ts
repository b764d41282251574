import { isDeepEqual, isLongerThan } from '#base';
import { checkDnsSubdomain, parseIp, report } from '#api';
import type { FieldErrors } from '#errors';
import type { HostAlias, PodDNSConfig } from './dns.ts';
import type { PodRules } from './pod-rules.ts';
import { requireOneOf } from '../../value-checks.ts';

const POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
/** Limits of resolvers. */
const MAX_NAMESERVERS = 3;
const SEARCHES = { most: 6, characters: 256 } as const;
/** Those of newer ones, for a stored search list that is over the others and does not change. */
const MORE_SEARCHES = { most: 32, characters: 2048 } as const;

export function validateDnsPolicy(policy: string | undefined, at: FieldErrors): void {
  requireOneOf(policy, at, POLICIES);
}

export function validateDnsConfig(config: PodDNSConfig | undefined, policy: string | undefined, at: FieldErrors, { live }: PodRules): void {
  if (policy === 'None' && config === undefined) at.required('must provide `dnsConfig` when `dnsPolicy` is None');
  if (config === undefined) return;
  if (policy === 'None' && (config.nameservers ?? []).length === 0) {
    at.child('nameservers').required('must provide at least one DNS nameserver when `dnsPolicy` is None');
    return;
  }
  validateConfig(config, live?.dnsConfig?.searches ?? [], at);
}

function validateConfig({ nameservers = [], searches = [], options = [] }: PodDNSConfig, kept: readonly string[], at: FieldErrors): void {
  const servers = at.child('nameservers');
  if (nameservers.length > MAX_NAMESERVERS) servers.invalid(nameservers, `must not have more than ${MAX_NAMESERVERS} nameservers`);
  for (const [position, server] of nameservers.entries()) validateIp(server, servers.index(position));
  validateSearches(searches, isDeepEqual(searches, kept) ? MORE_SEARCHES : SEARCHES, at.child('searches'));
  for (const [position, { name }] of options.entries()) if (!name) at.child('options').index(position).required('must not be empty');
}

function validateSearches(searches: readonly string[], { most, characters }: typeof SEARCHES | typeof MORE_SEARCHES, at: FieldErrors): void {
  if (searches.length > most) at.invalid(searches, `must not have more than ${most} search paths`);
  if (isLongerThan(searches.join(' '), characters)) {
    at.invalid(searches, `must not have more than ${characters} characters (including spaces) in the search list`);
  }
  for (const [position, search] of searches.entries()) {
    const name = search.endsWith('.') ? search.slice(0, -1) : search;
    report(at.index(position), name, checkDnsSubdomain(name));
  }
}

/** The paths have no index, as in kube-apiserver. */
export function validateHostAliases(aliases: readonly HostAlias[], at: FieldErrors): void {
  for (const { ip = '', hostnames } of aliases) {
    validateIp(ip, at.child('ip'));
    for (const name of hostnames ?? []) report(at.child('hostnames'), name, checkDnsSubdomain(name));
  }
}

function validateIp(text: string, at: FieldErrors): void {
  if (parseIp(text) === undefined) at.invalid(text, 'must be valid IP address');
}
