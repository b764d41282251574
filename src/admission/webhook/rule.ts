import type { Operation } from '../plugin.ts';

/** A rule in a stored configuration. */
export interface Rule {
  readonly operations?: readonly string[] | null;
  readonly apiGroups?: readonly string[] | null;
  readonly apiVersions?: readonly string[] | null;
  readonly resources?: readonly string[] | null;
  readonly scope?: string | null;
}

/** A request as rules see it. */
export interface Subject {
  readonly operation: Operation;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Empty for the main resource. */
  readonly subresource: string;
  readonly isNamespaced: boolean;
}

/** @spec 2.7 */
export function ruleMatches(rule: Rule, subject: Subject): boolean {
  return (
    inScope(rule.scope ?? '*', subject.isNamespaced) &&
    names(rule.operations, subject.operation) &&
    names(rule.apiGroups, subject.group) &&
    names(rule.apiVersions, subject.version) &&
    (rule.resources ?? []).some((pattern) => covers(pattern, subject))
  );
}

const names = (list: readonly string[] | null | undefined, one: string): boolean => (list ?? []).some((entry) => entry === '*' || entry === one);

const inScope = (scope: string, isNamespaced: boolean): boolean => scope === '*' || (scope === 'Namespaced') === isNamespaced;

/** Matches `pods`, `pods/log`, `*`, `pods/*`, `*` + `/scale`: a star behind the slash covers the main resource too, as in kube-apiserver. */
function covers(pattern: string, { resource, subresource }: Subject): boolean {
  const slash = pattern.indexOf('/');
  const plural = slash < 0 ? pattern : pattern.slice(0, slash);
  const part = slash < 0 ? '' : pattern.slice(slash + 1);
  return (plural === '*' || plural === resource) && (part === '*' || part === subresource);
}
