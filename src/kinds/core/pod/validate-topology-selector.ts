import { isDeepEqual } from '#base';
import { checkQualifiedName, report } from '#api';
import type { FieldErrors } from '#errors';
import type { TopologySelectorLabelRequirement, TopologySelectorTerm } from './topology-selector.ts';

/** Values by key, sorted. */
type Meaning = readonly (readonly [key: string, values: readonly string[]])[];

/** No two terms may say the same, and none may say nothing; clients are told of the latter once for each term and for each empty one before. */
export function validateTopologySelectorTerms(terms: readonly TopologySelectorTerm[], at: FieldErrors): void {
  const seen: Meaning[] = [];
  for (const [position, term] of terms.entries()) {
    const here = at.index(position);
    const meaning = validateTerm(term, here);
    const same = seen.filter((one) => isDeepEqual(one, meaning)).length + (meaning.length === 0 ? terms.length : 0);
    for (let times = 0; times < same; times++) here.child('matchLabelExpressions').duplicate('');
    seen.push(meaning);
  }
}

/** Returns what the term asks for, whatever the order. */
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
