import { report } from '#api';
import type { FieldErrors } from '#errors';
import { compareAmounts, isNegativeAmount } from '../../amounts.ts';
import { goQuantity } from '../../go-values.ts';
import { containersOf } from './every-container.ts';
import type { PodRules } from './pod-rules.ts';
import type { PodSpec } from './pod-spec.ts';
import { canOvercommit, checkContainerResourceName, isHugePages, isWholePages, isWholeResource, wholeNumber } from './resource-names.ts';
import type { ResourceRequirements } from './resources.ts';

/** Validates the requests and limits of a container. */
export function validateResources(resources: ResourceRequirements, at: FieldErrors, rules: PodRules): void {
  const limits = resources.limits ?? {};
  const requests = resources.requests ?? {};
  for (const [name, limit] of Object.entries(limits)) {
    validateOne(name, limit, at.child('limits').key(name), rules);
    validatePages(name, limit, at.child('limits').key(name), rules);
  }
  for (const [name, request] of Object.entries(requests)) {
    validateOne(name, request, at.child('requests').key(name), rules);
    compareWithLimit(name, request, Object.hasOwn(limits, name) ? limits[name] : undefined, at, rules);
    validatePages(name, request, at.child('requests').key(name), rules);
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePages) && !names.some((name) => name === 'cpu' || name === 'memory')) at.forbidden('HugePages require cpu or memory');
}

function validateOne(name: string, amount: string, at: FieldErrors, rules: PodRules): void {
  report(at, name, checkContainerResourceName(name, rules.brand));
  validateAmount(name, amount, at, rules);
}

function validatePages(name: string, amount: string, at: FieldErrors, { live }: PodRules): void {
  if (!isPartOfPage(name, amount) || (live !== undefined && usesPartsOfPages(live))) return;
  at.invalid(amount, `${amount} is not positive integer multiple of ${name}`);
}

const isPartOfPage = (name: string, amount: string): boolean => isHugePages(name) && !isWholePages(name, amount);

/** Whether a stored spec, from before this was a fault, has amounts of huge pages that are no multiple of the page. */
function usesPartsOfPages(spec: PodSpec): boolean {
  const lists = [spec.overhead, ...containersOf<{ readonly resources: ResourceRequirements }>(spec).flatMap(({ resources }) => [resources.limits, resources.requests])];
  return lists.some((amounts) => Object.entries(amounts ?? {}).some(([name, amount]) => isPartOfPage(name, amount)));
}

/** Checks that an amount is not negative, and an integer where the resource is indivisible. */
export function validateAmount(name: string, amount: string, at: FieldErrors, rules: PodRules): void {
  if (isNegativeAmount(amount)) at.invalid(amount, 'must be greater than or equal to 0');
  if (isWholeResource(name, rules.brand) && wholeNumber(amount) === undefined) at.invalid(goQuantity(amount), 'must be an integer');
}

function compareWithLimit(name: string, request: string, limit: string | undefined, at: FieldErrors, rules: PodRules): void {
  const mayDiffer = canOvercommit(name, rules.brand);
  if (limit === undefined) {
    if (!mayDiffer) at.child('limits').required('Limit must be set for non overcommitable resources');
    return;
  }
  const order = compareAmounts(request, limit);
  if (order !== 0 && !mayDiffer) at.child('requests').invalid(request, `must be equal to ${name} limit`);
  else if (order > 0) at.child('requests').invalid(request, `must be less than or equal to ${name} limit`);
}
