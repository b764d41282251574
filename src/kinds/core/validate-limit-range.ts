import { checkQualifiedName, report } from '#api';
import type { FieldErrors } from '#errors';
import { compareQuantities, parseQuantity, quantityRatio, type Quantity } from '#schema';
import { goQuantity } from '../go-values.ts';
import type { LimitRangeItem } from './limit-range-spec.ts';
import type { PodRules } from './pod/pod-rules.ts';
import { canOvercommit, checkContainerResourceName, checkResourceName } from './pod/resource-names.ts';

const TYPES = ['Pod', 'Container', 'PersistentVolumeClaim'];

export function validateLimits(limits: readonly LimitRangeItem[], at: FieldErrors, rules: PodRules): void {
  const seen = new Set<string>();
  for (const [position, item] of limits.entries()) {
    const here = at.index(position);
    const isNamed = report(here.child('type'), item.type, checkQualifiedName(item.type));
    if (isNamed && !item.type.includes('/') && !TYPES.includes(item.type)) here.child('type').invalid(item.type, 'must be a standard limit type or fully qualified');
    if (seen.has(item.type)) here.child('type').duplicate(item.type);
    seen.add(item.type);
    validateItem(item, here, rules);
  }
}

function refuseDefaults(item: LimitRangeItem, at: FieldErrors): void {
  for (const member of ['default', 'defaultRequest'] as const) {
    if (Object.keys(item[member] ?? {}).length > 0) at.child(member).forbidden(`may not be specified when \`type\` is 'Pod'`);
  }
}

function withoutDefaults({ default: _limits, defaultRequest: _requests, ...rest }: LimitRangeItem): LimitRangeItem {
  return rest;
}

function validateItem(given: LimitRangeItem, at: FieldErrors, rules: PodRules): void {
  const isPod = given.type === 'Pod';
  // The defaults of pods are refused as a whole, and not looked into.
  const item = isPod ? withoutDefaults(given) : given;
  const isOfContainers = isPod || item.type === 'Container';
  const keys = new Set<string>();
  const validateNames = (...members: readonly Member[]): void => {
    for (const member of members) {
      for (const name of Object.keys(item[member] ?? {})) {
        keys.add(name);
        report(at.child(member).key(name), name, isOfContainers ? checkContainerResourceName(name, rules.brand) : checkResourceName(name));
      }
    }
  };
  validateNames('max', 'min');
  if (isPod) refuseDefaults(given, at);
  validateNames('default', 'defaultRequest');
  if (item.type === 'PersistentVolumeClaim' && amountOf(item, 'min', 'storage') === undefined && amountOf(item, 'max', 'storage') === undefined) {
    at.child('limits').required('either minimum or maximum storage value is required, but neither was provided');
  }
  validateNames('maxLimitRequestRatio');
  for (const name of keys) {
    validateOrder(item, name, at);
    validateRatio(item, name, at);
    validateFixed(item, name, at, rules);
  }
}

type Member = 'max' | 'min' | 'default' | 'defaultRequest' | 'maxLimitRequestRatio';

function amountOf(item: LimitRangeItem, member: Member, name: string): Quantity | undefined {
  const amounts = item[member];
  const text = amounts !== undefined && Object.hasOwn(amounts, name) ? amounts[name] : undefined;
  return text === undefined ? undefined : parseQuantity(text);
}

/** Pairs of fields whose first must not exceed the second, with the field whose path is reported and the one whose value is shown. */
const ORDER: readonly (readonly [less: Member, more: Member, blamed: Member, shown: Member])[] = [
  ['min', 'max', 'min', 'min'],
  ['min', 'defaultRequest', 'defaultRequest', 'defaultRequest'],
  ['defaultRequest', 'max', 'defaultRequest', 'defaultRequest'],
  ['defaultRequest', 'default', 'defaultRequest', 'defaultRequest'],
  ['min', 'default', 'default', 'min'],
  ['default', 'max', 'default', 'max'],
];
/** The names of the fields in messages. */
const WORDS = { max: 'max', min: 'min', default: 'default', defaultRequest: 'default request', maxLimitRequestRatio: 'ratio' } as const;

function validateOrder(item: LimitRangeItem, name: string, at: FieldErrors): void {
  for (const [less, more, blamed, shown] of ORDER) {
    const [one, other] = [amountOf(item, less, name), amountOf(item, more, name)];
    if (one !== undefined && other !== undefined && compareQuantities(one, other) > 0) {
      at.child(blamed).key(name).invalid(goQuantity(item[shown]?.[name]), `${WORDS[less]} value ${item[less]?.[name]} is greater than ${more === 'default' && less === 'defaultRequest' ? 'default limit' : WORDS[more]} value ${item[more]?.[name]}`);
    }
  }
}

const ONE: Quantity = { mantissa: 1n, exponent: 0, form: 'decimal' };

function validateRatio(item: LimitRangeItem, name: string, at: FieldErrors): void {
  const ratio = amountOf(item, 'maxLimitRequestRatio', name);
  if (ratio === undefined) return;
  const text = item.maxLimitRequestRatio?.[name];
  const here = at.child('maxLimitRequestRatio').key(name);
  if (compareQuantities(ratio, ONE) < 0) here.invalid(goQuantity(text), `ratio ${text} is less than 1`);
  const [min, max] = [amountOf(item, 'min', name), amountOf(item, 'max', name)];
  if (min === undefined || max === undefined) return;
  const limit = quantityRatio(max, min);
  if (quantityRatio(ratio, ONE) > limit) here.invalid(goQuantity(text), `ratio ${text} is greater than max/min = ${limit.toFixed(6)}`);
}

function validateFixed(item: LimitRangeItem, name: string, at: FieldErrors, { brand }: PodRules): void {
  if (canOvercommit(name, brand)) return;
  const [limit, request] = [amountOf(item, 'default', name), amountOf(item, 'defaultRequest', name)];
  if (limit !== undefined && request !== undefined && compareQuantities(limit, request) !== 0) {
    const asked = item.defaultRequest?.[name];
    at.child('defaultRequest').key(name).invalid(goQuantity(asked), `default value ${item.default?.[name]} must equal to defaultRequest value ${asked} in ${name}`);
  }
}
