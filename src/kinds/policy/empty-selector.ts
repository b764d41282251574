import { isEmptySelector, type ApiObject, type Brand, type LabelSelector } from '#api';

interface Selecting extends ApiObject {
  spec: { selector?: LabelSelector };
}

/** A requirement on a label that nobody has, by which one version says what the other's empty selector means. */
const standIn = (brand: Brand, operator: 'Exists' | 'DoesNotExist'): LabelSelector => ({
  matchExpressions: [{ key: `pdb.${brand.names.domain}/deprecated-v1beta1-empty-selector-match`, operator }],
});

function isStandIn(selector: LabelSelector, brand: Brand, operator: 'Exists' | 'DoesNotExist'): boolean {
  const [only, ...others] = selector.matchExpressions ?? [];
  const [wanted] = standIn(brand, operator).matchExpressions ?? [];
  const isBare = others.length === 0 && Object.keys(selector.matchLabels ?? {}).length === 0 && (only?.values ?? []).length === 0;
  return isBare && only?.key === wanted?.key && only?.operator === operator;
}

/** `v1beta1` → `v1`: an empty selector selected nothing, and selects everything now. */
export function selectAsV1(object: ApiObject, brand: Brand): ApiObject {
  const { spec } = object as Selecting;
  if (spec.selector === undefined) return object;
  if (isStandIn(spec.selector, brand, 'DoesNotExist')) spec.selector = {};
  else if (isEmptySelector(spec.selector)) spec.selector = standIn(brand, 'Exists');
  return object;
}

/** `v1` → `v1beta1`. */
export function selectAsV1beta1(object: ApiObject, brand: Brand): ApiObject {
  const { spec } = object as Selecting;
  if (spec.selector === undefined) return object;
  if (isStandIn(spec.selector, brand, 'Exists')) spec.selector = {};
  else if (isEmptySelector(spec.selector)) spec.selector = standIn(brand, 'DoesNotExist');
  return object;
}
