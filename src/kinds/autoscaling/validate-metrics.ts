import { checkDnsLabel, checkPathSegment, report, type Brand } from '#api';
import type { FieldErrors } from '#errors';
import { isPositiveAmount } from '../amounts.ts';
import { checkContainerResourceName } from '../core/pod/resource-names.ts';
import { requireText, requireValid } from '../value-checks.ts';
import { goQuantity } from '../go-values.ts';
import type { MetricIdentifier, MetricSpec, MetricTarget } from './metrics.ts';
import type { TargetReference } from './target-reference.ts';

const TYPES = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];
const TARGET_TYPES = ['Utilization', 'Value', 'AverageValue'];

/** The sources, in the order of which the first one that is set is validated. */
const SOURCES = ['object', 'external', 'pods', 'resource', 'containerResource'] as const;
type Source = (typeof SOURCES)[number];

type Of<S extends Source> = NonNullable<MetricSpec[S]>;

/** A metric has exactly one source, that of its type. */
export function validateMetric(metric: MetricSpec, brand: Brand, at: FieldErrors): void {
  const { type } = metric;
  const here = at.child('type');
  const isKnown = TYPES.includes(type);
  requireText(type, here, 'must specify a metric source type');
  if (!isKnown) here.notSupported(type, TYPES);
  const present = SOURCES.filter((source) => metric[source] !== undefined);
  validateFirst(metric, brand, at);
  const expected = isKnown ? SOURCES.find((source) => source === `${type.slice(0, 1).toLowerCase()}${type.slice(1)}`) : undefined;
  // kube-apiserver reports this fault twice.
  if (expected === undefined) here.notSupported(type, TYPES);
  else if (metric[expected] === undefined) at.child(expected).required(`must populate information for the given metric source${whyAbsent(expected)}`);
  if (present.length === 1) return;
  for (const source of present) if (source !== expected) at.child(source).forbidden('must populate the given metric source only');
}

const whyAbsent = (source: Source): string => (source === 'containerResource' ? ' (only allowed when HPAContainerMetrics feature is enabled)' : '');

function validateFirst({ object, external, pods, resource, containerResource }: MetricSpec, brand: Brand, at: FieldErrors): void {
  if (object) validateObject(object, at.child('object'));
  else if (external) validateExternal(external, at.child('external'));
  else if (pods) validatePods(pods, at.child('pods'));
  else if (resource) validateResource(resource, at.child('resource'));
  else if (containerResource) validateContainerResource(containerResource, brand, at.child('containerResource'));
}

function validateObject({ describedObject, metric, target }: Of<'object'>, at: FieldErrors): void {
  validateReference(describedObject, at.child('describedObject'));
  validateIdentifier(metric, at.child('metric'));
  validateTarget(target, at.child('target'));
  requireValue(target, at.child('target'), 'must set either a target value or averageValue');
}

function validateExternal({ metric, target }: Of<'external'>, at: FieldErrors): void {
  validateIdentifier(metric, at.child('metric'));
  validateTarget(target, at.child('target'));
  requireValue(target, at.child('target'), 'must set either a target value for metric or a per-pod target');
  if (target.value !== undefined && target.averageValue !== undefined) {
    at.child('target', 'value').forbidden('may not set both a target value for metric and a per-pod target');
  }
}

function validatePods({ metric, target }: Of<'pods'>, at: FieldErrors): void {
  validateIdentifier(metric, at.child('metric'));
  validateTarget(target, at.child('target'));
  if (target.averageValue === undefined) at.child('target', 'averageValue').required('must specify a positive target averageValue');
}

function validateContainerResource({ name, container, target }: Of<'containerResource'>, brand: Brand, at: FieldErrors): void {
  if (requireText(name, at.child('name'), 'must specify a resource name')) report(at.child('name'), name, checkContainerResourceName(name, brand));
  if (requireText(container, at.child('container'), 'must specify a container')) report(at.child('container'), container, checkDnsLabel(container));
  validateResourceTarget(target, at.child('target'));
}

export function validateReference({ kind, name }: TargetReference, at: FieldErrors): void {
  requireValid(kind, at.child('kind'), checkPathSegment);
  requireValid(name, at.child('name'), checkPathSegment);
}

function validateIdentifier({ name }: MetricIdentifier, at: FieldErrors): void {
  if (requireText(name, at.child('name'), 'must specify a metric name')) report(at.child('name'), name, checkPathSegment(name));
}

function validateResource({ name, target }: Of<'resource'>, at: FieldErrors): void {
  requireText(name, at.child('name'), 'must specify a resource name');
  validateResourceTarget(target, at.child('target'));
}

function validateResourceTarget(target: MetricTarget, at: FieldErrors): void {
  validateTarget(target, at);
  const { averageUtilization, averageValue } = target;
  if (averageUtilization === undefined && averageValue === undefined) {
    at.child('averageUtilization').required('must set either a target raw value or a target utilization');
  } else if (averageUtilization !== undefined && averageValue !== undefined) {
    at.child('averageValue').forbidden('may not set both a target raw value and a target utilization');
  }
}

function validateTarget({ type, value, averageValue, averageUtilization }: MetricTarget, at: FieldErrors): void {
  requireText(type, at.child('type'), 'must specify a metric target type');
  if (!TARGET_TYPES.includes(type)) at.child('type').invalid(type, 'must be either Utilization, Value, or AverageValue');
  if (value !== undefined && !isPositiveAmount(value)) at.child('value').invalid(goQuantity(value), 'must be positive');
  if (averageValue !== undefined && !isPositiveAmount(averageValue)) at.child('averageValue').invalid(goQuantity(averageValue), 'must be positive');
  if (averageUtilization !== undefined && averageUtilization < 1) at.child('averageUtilization').invalid(averageUtilization, 'must be greater than 0');
}

function requireValue({ value, averageValue }: MetricTarget, at: FieldErrors, why: string): void {
  if (value === undefined && averageValue === undefined) at.child('averageValue').required(why);
}
