import { FieldErrors, inOneMessage } from '#errors';
import { stringScalar, t } from '#schema';
import { checkLabelValue, checkQualifiedName, report, reportAsOne } from '../names.ts';

export class LabelSelectorRequirement extends t.message('apis/meta/v1.LabelSelectorRequirement', {
  key: t.string(1).required().mergeBy('key'),
  operator: t.string(2).required(),
  values: t.strings(3),
}) {}

/** A label selector inside an object; all of its requirements must hold. @spec 4.3 */
export class LabelSelector extends t.message(
  'apis/meta/v1.LabelSelector',
  {
    matchLabels: t.map(1, stringScalar),
    matchExpressions: t.many(2, LabelSelectorRequirement),
  },
  { isAtomic: true },
) {}

/** Labels of an object; absent means none. */
export type Labels = Readonly<Record<string, string>> | undefined;
export type LabelPredicate = (labels: Labels) => boolean;

/** Whether a selector is empty: it matches everything. */
export function isEmptySelector(selector: LabelSelector): boolean {
  return Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0;
}

/** Validates a selector inside an object. */
export function validateLabelSelector(selector: LabelSelector | undefined | null, at: FieldErrors): void {
  if (selector === undefined || selector === null) return;
  validateMatchLabels(selector.matchLabels, at.child('matchLabels'));
  for (const [position, one] of (selector.matchExpressions ?? []).entries()) {
    validateRequirement(one, at.child('matchExpressions').index(position));
  }
}

/** Whether a selector is valid, its values included. */
export function isUsableSelector(selector: LabelSelector): boolean {
  const faults = new FieldErrors();
  validateLabelSelector(selector, faults);
  return faults.isEmpty && faultOfValues(selector) === undefined;
}

/** What is wrong with the values of the first requirement that has some that no label can have, which validation lets pass; undefined: nothing. */
export function faultOfValues({ matchExpressions }: LabelSelector): string | undefined {
  for (const { key, values } of matchExpressions ?? []) {
    const at = new FieldErrors('values');
    reportValues(key, values ?? [], at);
    if (!at.isEmpty) return inOneMessage(at.texts);
  }
  return undefined;
}

/** Reports the values of a requirement that no label can have, also for selectors in queries. `at`: the path of the values. */
export function reportValues(key: string, values: readonly string[], at: FieldErrors): void {
  for (const [position, value] of values.entries()) reportAsOne(at.index(position).key(key), value, checkLabelValue(value));
}

/** Also the form of `metadata.labels`. */
export function validateMatchLabels(labels: Labels | null, at: FieldErrors): void {
  for (const [key, value] of Object.entries(labels ?? {})) {
    report(at, key, checkQualifiedName(key));
    report(at, value, checkLabelValue(value));
  }
}

function validateRequirement(one: LabelSelectorRequirement, at: FieldErrors): void {
  const count = (one.values ?? []).length;
  switch (one.operator) {
    case 'In':
    case 'NotIn':
      if (count === 0) at.child('values').required('must be specified when `operator` is \'In\' or \'NotIn\'');
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (count > 0) at.child('values').forbidden('may not be specified when `operator` is \'Exists\' or \'DoesNotExist\'');
      break;
    default:
      at.child('operator').invalid(one.operator, 'not a valid selector operator');
  }
  report(at.child('key'), one.key, checkQualifiedName(one.key));
}

/** One predicate for a whole selector. An absent selector matches nothing, an empty one everything. */
export function compileSelectorMessage(selector: LabelSelector | undefined | null): LabelPredicate {
  if (selector === undefined || selector === null) return () => false;
  const wanted = Object.entries(selector.matchLabels ?? {});
  const expressions = (selector.matchExpressions ?? []).map(compileRequirement);
  return (labels) => wanted.every(([key, value]) => labelOf(labels, key) === value) && expressions.every((holds) => holds(labels));
}

/** The value of a label, or undefined; a label may be called `constructor`. */
export const labelOf = (labels: Labels, key: string): string | undefined =>
  labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;

function compileRequirement({ key, operator, values }: LabelSelectorRequirement): LabelPredicate {
  const set: ReadonlySet<string | undefined> = new Set(values ?? []);
  switch (operator) {
    case 'In':
      return (labels) => set.has(labelOf(labels, key));
    case 'NotIn':
      return (labels) => !set.has(labelOf(labels, key));
    case 'Exists':
      return (labels) => labelOf(labels, key) !== undefined;
    case 'DoesNotExist':
      return (labels) => labelOf(labels, key) === undefined;
    default:
      return () => false;
  }
}

/** A selector as one line for display: `a=b,c in (d,e),!f`; `<none>` when empty, `<error>` when nothing can be selected by it. */
export function formatSelectorMessage(selector: LabelSelector | undefined | null): string {
  if (selector === undefined || selector === null || isEmptySelector(selector)) return '<none>';
  // Rules of some kinds let values pass that no label can have.
  if (!isUsableSelector(selector)) return '<error>';
  const parts = [
    ...Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({ key, text: `${key}=${value}` })),
    ...(selector.matchExpressions ?? []).map((one) => ({ key: one.key, text: formatRequirement(one) })),
  ];
  return parts
    .sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0))
    .map((part) => part.text)
    .join(',');
}

/** Labels as one line for display: `a-b=c,a=b`, in the order of that text, in which `a-b=` comes before `a=`; `<none>` without any. */
export function formatLabels(labels: Labels): string {
  const texts = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return texts.sort().join(',') || '<none>';
}

function formatRequirement({ key, operator, values }: LabelSelectorRequirement): string {
  const set = [...(values ?? [])].sort().join(',');
  switch (operator) {
    case 'In':
      return `${key} in (${set})`;
    case 'NotIn':
      return `${key} notin (${set})`;
    case 'Exists':
      return key;
    default:
      return `!${key}`;
  }
}
