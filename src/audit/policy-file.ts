import { failureText } from '#base';
import { checkDnsSubdomain, ObjectMeta, versionInAnyDialect } from '#api';
import { parseYaml } from '#codec';
import { decode, t, unknownFields } from '#schema';
import { LEVELS, STAGES, type AuditStage, type Level } from './level.ts';

class GroupResources extends t.message('audit/v1.GroupResources', {
  group: t.string(1),
  resources: t.strings(2),
  resourceNames: t.strings(3),
}) {}

class PolicyRuleBody extends t.message('audit/v1.PolicyRule', {
  level: t.enum(1, ...LEVELS),
  users: t.strings(2),
  userGroups: t.strings(3),
  verbs: t.strings(4),
  resources: t.many(5, GroupResources),
  namespaces: t.strings(6),
  nonResourceURLs: t.strings(7),
  omitStages: t.strings(8),
  omitManagedFields: t.maybe.bool(9),
}) {}

class PolicyBody extends t.message('audit/v1.Policy', {
  kind: t.string(1),
  apiVersion: t.string(2),
  metadata: t.one(3, ObjectMeta),
  rules: t.many(4, PolicyRuleBody),
  omitStages: t.strings(5),
  omitManagedFields: t.bool(6),
}) {}

/** Resources of one group; without `resources`, all of them. */
export interface ResourceRule {
  readonly group?: string;
  /** `pods`, `pods/log`, `pods/*`, `*` or any resource with `/status` behind a star. */
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** A policy rule: all fields that are set must match. */
export interface PolicyRule {
  readonly level: Level;
  readonly users?: readonly string[];
  readonly userGroups?: readonly string[];
  readonly verbs?: readonly string[];
  readonly resources?: readonly ResourceRule[];
  readonly namespaces?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly omitStages?: readonly AuditStage[];
  readonly omitManagedFields?: boolean;
}

export interface PolicyDocument {
  readonly rules: readonly PolicyRule[];
  readonly omitStages?: readonly AuditStage[];
  readonly omitManagedFields?: boolean;
}

const VERSIONS: readonly string[] = versionInAnyDialect('audit', 'v1');
/** Accepted values from before v1: the fields of a policy are the same. */
const EARLIER: readonly string[] = ['v1beta1', 'v1alpha1'].flatMap((version) => versionInAnyDialect('audit', version));

/**
 * The text of an audit policy, YAML or JSON, in either dialect's spelling. Throws an `Error` that names the place in the file.
 * @spec 6
 */
export function readPolicy(text: string): PolicyDocument {
  const document = parse(text);
  if (![...VERSIONS, ...EARLIER].includes(document.apiVersion) || document.kind !== 'Policy') {
    throw wrong('', `it must say apiVersion: ${VERSIONS.join(' or ')} and kind: Policy`);
  }
  const rules = document.rules ?? [];
  // A policy without rules would never log anything: surely a mistake.
  if (rules.length === 0) throw wrong('rules', 'there must be at least one rule');
  checkStages(document.omitStages, 'omitStages');
  for (const [i, rule] of rules.entries()) checkRule(rule, `rules[${i}]`);
  return document;
}

type Parsed = PolicyDocument & { readonly apiVersion: string; readonly kind: string };

function parse(text: string): Parsed {
  const { document, value } = read(text);
  const unknown = unknownFields(PolicyBody.type, document);
  if (unknown.length > 0) throw wrong(unknown.join(', '), 'there is no such field');
  return { apiVersion: '', kind: '', ...value } as unknown as Parsed;
}

function read(text: string): { readonly document: Record<string, unknown>; readonly value: object } {
  try {
    const document = parseYaml(Buffer.from(text));
    return { document: document as Record<string, unknown>, value: decode(PolicyBody.type, document) };
  } catch (cause) {
    throw wrong('', failureText(cause), cause);
  }
}

function checkRule(rule: PolicyRule, at: string): void {
  if (!LEVELS.includes(rule.level)) throw wrong(`${at}.level`, `${JSON.stringify(rule.level ?? '')} is none of ${LEVELS.join(', ')}`);
  checkStages(rule.omitStages, `${at}.omitStages`);
  const urls = rule.nonResourceURLs ?? [];
  if (urls.length > 0 && ((rule.resources ?? []).length > 0 || (rule.namespaces ?? []).length > 0)) {
    throw wrong(`${at}.nonResourceURLs`, 'a rule is about resources or about other paths, not about both');
  }
  for (const [i, url] of urls.entries()) checkUrl(url, `${at}.nonResourceURLs[${i}]`);
  for (const [i, resource] of (rule.resources ?? []).entries()) checkResource(resource, `${at}.resources[${i}]`);
}

function checkUrl(url: string, at: string): void {
  if (url === '*') return;
  if (!url.startsWith('/')) throw wrong(at, 'a path begins with /, and * alone means every path');
  if (url.slice(0, -1).includes('*')) throw wrong(at, '* stands at the end only');
}

function checkResource({ group = '', resources = [], resourceNames = [] }: ResourceRule, at: string): void {
  if (group.includes('/')) throw wrong(`${at}.group`, 'a group is written without its version');
  // Also a star, which would select no group at all.
  const fault = group === '' ? undefined : checkDnsSubdomain(group);
  if (fault !== undefined) throw wrong(`${at}.group`, `${JSON.stringify(group)}: ${fault.join(', ')}`);
  if (resourceNames.length > 0 && resources.length === 0) throw wrong(`${at}.resourceNames`, 'names of objects need resources beside them');
}

function checkStages(stages: readonly AuditStage[] | undefined, at: string): void {
  for (const stage of stages ?? []) {
    if (!STAGES.includes(stage)) throw wrong(at, `${JSON.stringify(stage)} is none of ${STAGES.join(', ')}`);
  }
}

const WHAT = 'audit policy';
const wrong = (at: string, message: string, cause?: unknown): Error => new Error(`${WHAT}${at === '' ? '' : `, ${at}`}: ${message}`, { cause });
