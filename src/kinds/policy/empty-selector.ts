import { isEmptySelector, type ApiObject, type Brand, type LabelSelector } from '#api';

interface Selecting extends ApiObject {
  spec: { selector?: LabelSelector };
}

/** A label that nobody has. */
const labelOf = ({ names }: Brand): string => `pdb.${names.domain}/deprecated-v1beta1-empty-selector-match`;

/** The requirement on it by which one version says what the other's empty selector means. */
const standIn = (brand: Brand, operator: 'Exists' | 'DoesNotExist'): LabelSelector => ({ matchExpressions: [{ key: labelOf(brand), operator }] });

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
  else spec.selector = withoutStandIn(spec.selector, brand);
  return object;
}

/** What is sent in `v1`: whoever adds to a selector that stands in for an empty one means what is added. */
export function selectAsSent(object: ApiObject, brand: Brand): ApiObject {
  const { spec } = object as Selecting;
  if (spec.selector !== undefined && !isStandIn(spec.selector, brand, 'Exists')) spec.selector = withoutStandIn(spec.selector, brand);
  return object;
}

/** Beside other requirements it would select nothing for good. */
function withoutStandIn(selector: LabelSelector, brand: Brand): LabelSelector {
  const label = labelOf(brand);
  const { matchExpressions, ...rest } = selector;
  if (matchExpressions?.some(({ key }) => key === label) !== true) return selector;
  const kept = matchExpressions.filter(({ key }) => key !== label);
  return kept.length === 0 ? rest : { ...rest, matchExpressions: kept };
}

/** `v1` → `v1beta1`. */
export function selectAsV1beta1(object: ApiObject, brand: Brand): ApiObject {
  const { spec } = object as Selecting;
  if (spec.selector === undefined) return object;
  if (isStandIn(spec.selector, brand, 'Exists')) spec.selector = {};
  else if (isEmptySelector(spec.selector)) spec.selector = standIn(brand, 'DoesNotExist');
  return object;
}
