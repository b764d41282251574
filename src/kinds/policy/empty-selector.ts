import { isEmptySelector, type ApiObject, type Brand, type LabelSelector } from '#api';

interface Selecting extends ApiObject {
  spec: { selector?: LabelSelector };
}

/** A label that no pod has. */
const labelOf = ({ names }: Brand): string => `pdb.${names.domain}/deprecated-v1beta1-empty-selector-match`;

/** The selector on that label by which one version expresses the meaning of the other's empty selector. */
const standIn = (brand: Brand, operator: 'Exists' | 'DoesNotExist'): LabelSelector => ({ matchExpressions: [{ key: labelOf(brand), operator }] });

function isStandIn(selector: LabelSelector, brand: Brand, operator: 'Exists' | 'DoesNotExist'): boolean {
  const [only, ...others] = selector.matchExpressions ?? [];
  const [wanted] = standIn(brand, operator).matchExpressions ?? [];
  const isBare = others.length === 0 && Object.keys(selector.matchLabels ?? {}).length === 0 && (only?.values ?? []).length === 0;
  return isBare && only?.key === wanted?.key && only?.operator === operator;
}

/** Converts v1beta1, where an empty selector selects nothing, to v1, where it selects everything. */
export function selectAsV1(object: ApiObject, brand: Brand): ApiObject {
  const { spec } = object as Selecting;
  if (spec.selector === undefined) return object;
  if (isStandIn(spec.selector, brand, 'DoesNotExist')) spec.selector = {};
  else if (isEmptySelector(spec.selector)) spec.selector = standIn(brand, 'Exists');
  else spec.selector = withoutStandIn(spec.selector, brand);
  return object;
}

/** Normalizes a selector sent in v1: requirements that a client adds to a stand-in for the empty selector replace it. */
export function selectAsSent(object: ApiObject, brand: Brand): ApiObject {
  const { spec } = object as Selecting;
  if (spec.selector !== undefined && !isStandIn(spec.selector, brand, 'Exists')) spec.selector = withoutStandIn(spec.selector, brand);
  return object;
}

/** The selector without the stand-in: beside other requirements that would make it select nothing. */
function withoutStandIn(selector: LabelSelector, brand: Brand): LabelSelector {
  const label = labelOf(brand);
  const { matchExpressions, ...rest } = selector;
  if (matchExpressions?.some(({ key }) => key === label) !== true) return selector;
  const kept = matchExpressions.filter(({ key }) => key !== label);
  return kept.length === 0 ? rest : { ...rest, matchExpressions: kept };
}

/** Converts v1 to v1beta1. */
export function selectAsV1beta1(object: ApiObject, brand: Brand): ApiObject {
  const { spec } = object as Selecting;
  if (spec.selector === undefined) return object;
  if (isStandIn(spec.selector, brand, 'Exists')) spec.selector = {};
  else if (isEmptySelector(spec.selector)) spec.selector = standIn(brand, 'DoesNotExist');
  return object;
}
