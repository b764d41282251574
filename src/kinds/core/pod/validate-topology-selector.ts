import { checkQualifiedName, report } from '#api';
import type { FieldErrors } from '#errors';
import type { TopologySelectorLabelRequirement, TopologySelectorTerm } from './topology-selector.ts';

/** The normalized requirements of a term: values by key, both sorted. */
type Meaning = readonly (readonly [key: string, values: readonly string[]])[];

/**
 * Validates the terms: none may be empty or equal to another. As in kube-apiserver, an empty term is reported as a duplicate once for every term of
 * the list and once more for every empty one before it.
 */
export function validateTopologySelectorTerms(terms: readonly TopologySelectorTerm[], at: FieldErrors): void {
  const seen = new Map<string, number>();
  for (const [position, term] of terms.entries()) {
    const here = at.index(position);
    const meaning = validateTerm(term, here);
    const text = JSON.stringify(meaning);
    const before = seen.get(text) ?? 0;
    const same = before + (meaning.length === 0 ? terms.length : 0);
    for (let times = 0; times < same && !here.isFull; times++) here.child('matchLabelExpressions').duplicate('');
    seen.set(text, before + 1);
  }
}

/** Returns the normalized requirements of the term. */
function validateTerm(term: TopologySelectorTerm, at: FieldErrors): Meaning {
  const byKey = new Map<string, readonly string[]>();
  for (const [position, one] of (term.matchLabelExpressions ?? []).entries()) {
    const here = at.child('matchLabelExpressions').index(position);
    validateRequirement(one, here);
    if (byKey.has(one.key)) here.child('key').duplicate(one.key);
    byKey.set(one.key, [...new Set(one.values ?? [])].sort());
  }
  return [...byKey].sort(([one], [other]) => (one < other ? -1 : 1));
}

function validateRequirement({ key, values }: TopologySelectorLabelRequirement, at: FieldErrors): void {
  const seen = new Set<string>();
  if ((values ?? []).length === 0) at.child('values').required();
  for (const [position, value] of (values ?? []).entries()) {
    if (seen.has(value)) at.child('values').index(position).duplicate(value);
    seen.add(value);
  }
  report(at.child('key'), key, checkQualifiedName(key));
}
