import type { AvailabilityObserver } from '#extensions';
import type { Metrics } from '#http';

/** Shows which APIs cannot be had, and counts how often each was lost. @spec 6 */
export function aggregationMetrics(metrics: Metrics): AvailabilityObserver {
  const unavailable = metrics.gauge('aggregator_unavailable_apiservice', '1 for an APIService whose API cannot be had, 0 for others.', ['name']);
  const losses = metrics.counter('aggregator_unavailable_apiservice_total', 'How often an APIService became unavailable, by why.', ['name', 'reason']);
  return {
    services: (read) =>
      metrics.collect(() => {
        unavailable.clear();
        for (const [name, isAvailable] of read()) unavailable.withLabels(name).set(isAvailable ? 0 : 1);
      }),
    lost: (name, reason) => losses.withLabels(name, reason).add(1),
  };
}
