import type { AuditObserver } from '#audit';
import type { Metrics } from '#http';

/** Counts audit events by outcome. @spec 6 */
export function auditMetrics(metrics: Metrics): AuditObserver {
  const levels = metrics.counter('apiserver_audit_level_total', 'Requests by the level that the audit policy gives them.', ['level']);
  const lost = metrics.counter('apiserver_audit_error_total', 'Audit events that did not arrive, by where they should have.', ['plugin']);
  const events = metrics.counter('apiserver_audit_event_total', 'Audit events made.').withLabels();
  const rejected = metrics.counter('apiserver_audit_requests_rejected_total', 'Requests refused because their audit event was lost.').withLabels();
  return {
    level: (level) => levels.withLabels(level).add(1),
    event: () => events.add(1),
    lost: (sink, count) => lost.withLabels(sink).add(count),
    rejected: () => rejected.add(1),
  };
}
