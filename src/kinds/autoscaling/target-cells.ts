import type { MetricSpec, MetricStatus, MetricTarget, MetricValue } from './metrics.ts';

const UNKNOWN = '<unknown>';
const MAX_SHOWN = 2;

/** Current and desired values, metric by metric: `44%/80%, 10/5 (avg)`. */
export function targetsOf(specs: readonly MetricSpec[], statuses: readonly MetricStatus[]): string {
  if (specs.length === 0) return '<none>';
  const texts = specs.map((spec, position) => targetOf(spec, statuses[position]));
  const shown = texts.slice(0, MAX_SHOWN).join(', ');
  return texts.length > MAX_SHOWN ? `${shown} + ${texts.length - MAX_SHOWN} more...` : shown;
}

function targetOf(spec: MetricSpec, status: MetricStatus | undefined): string {
  switch (spec.type) {
    case 'External':
      return amountOrAverage(spec.external?.target, status?.external?.current);
    case 'Object':
      return amountOrAverage(spec.object?.target, status?.object?.current);
    case 'Pods':
      return `${status?.pods?.current.averageValue ?? UNKNOWN}/${spec.pods?.target.averageValue ?? ''}`;
    case 'Resource':
      return share(spec.resource?.target, status?.resource?.current);
    case 'ContainerResource':
      return share(spec.containerResource?.target, status?.containerResource?.current);
    default:
      return '<unknown type>';
  }
}

function amountOrAverage(target: MetricTarget | undefined, current: MetricValue | undefined): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? UNKNOWN}/${target.averageValue} (avg)`;
  return `${current?.value ?? UNKNOWN}/${target?.value ?? ''}`;
}

function share(target: MetricTarget | undefined, current: MetricValue | undefined): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? UNKNOWN}/${target.averageValue}`;
  const seen = current?.averageUtilization === undefined ? UNKNOWN : `${current.averageUtilization}%`;
  return `${seen}/${target?.averageUtilization === undefined ? '<auto>' : `${target.averageUtilization}%`}`;
}
