import { report } from '#api';
import type { FieldErrors } from '#errors';
import { compareQuantities, parseQuantity } from '#schema';
import { goQuantity } from '../../go-values.ts';
import type { PodRules } from './pod-rules.ts';
import { canOvercommit, checkContainerResourceName, isHugePages, isWholePages, isWholeResource, wholeNumber } from './resource-names.ts';
import type { ResourceList, ResourceRequirements } from './resources.ts';

const isNegative = (amount: string): boolean => (parseQuantity(amount)?.mantissa ?? 0n) < 0n;

/** Validates the requests and limits of a container. */
export function validateResources(resources: ResourceRequirements, at: FieldErrors, rules: PodRules): void {
  const limits = resources.limits ?? {};
  const requests = resources.requests ?? {};
  validateList(limits, at.child('limits'), rules);
  validateList(requests, at.child('requests'), rules);
  for (const [name, request] of Object.entries(requests)) {
    compareWithLimit(name, request, Object.hasOwn(limits, name) ? limits[name] : undefined, at, rules);
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePages) && !names.some((name) => name === 'cpu' || name === 'memory')) at.forbidden('HugePages require cpu or memory');
}

function validateList(amounts: ResourceList, at: FieldErrors, rules: PodRules): void {
  for (const [name, amount] of Object.entries(amounts)) {
    const here = at.key(name);
    report(here, name, checkContainerResourceName(name, rules.brand));
    validateAmount(name, amount, here, rules);
    if (isHugePages(name) && !isWholePages(name, amount)) here.invalid(amount, `${amount} is not positive integer multiple of ${name}`);
  }
}

/** Checks that an amount is not negative, and an integer where the resource is indivisible. */
export function validateAmount(name: string, amount: string, at: FieldErrors, rules: PodRules): void {
  if (isNegative(amount)) at.invalid(amount, 'must be greater than or equal to 0');
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

function compareAmounts(a: string, b: string): number {
  const [left, right] = [parseQuantity(a), parseQuantity(b)];
  return left === undefined || right === undefined ? 0 : compareQuantities(left, right);
}
