import type { FlowClasses } from '#flowcontrol';
import type { Metrics } from '#http';

/** Exposes the counters that flow control keeps anyway. @spec 6 @spec 8 */
export function flowControlMetrics(metrics: Metrics, classes: FlowClasses | undefined): void {
  const inQueue = metrics.gauge('apiserver_current_inqueue_requests', 'Requests waiting for their turn.', ['request_kind']).withLabels('');
  inQueue.set(0);
  if (classes === undefined) return;
  const dispatched = metrics.counter('apiserver_flowcontrol_dispatched_requests_total', 'Requests let through, by schema and level.', ['flow_schema', 'priority_level']);
  const rejected = metrics.counter('apiserver_flowcontrol_rejected_requests_total', 'Requests turned away, by schema, level and reason.', ['flow_schema', 'priority_level', 'reason']);
  const waiting = metrics.gauge('apiserver_flowcontrol_current_inqueue_requests', 'Requests waiting for their turn, by schema and level.', ['flow_schema', 'priority_level']);
  const running = metrics.gauge('apiserver_flowcontrol_current_executing_requests', 'Requests running, by schema and level.', ['flow_schema', 'priority_level']);
  const limit = metrics.gauge('apiserver_flowcontrol_request_concurrency_limit', 'Seats of a level.', ['priority_level']);
  const inUse = metrics.gauge('apiserver_flowcontrol_request_concurrency_in_use', 'Seats of a level that are taken, by schema.', ['flow_schema', 'priority_level']);
  metrics.collect(() => {
    for (const family of [dispatched, rejected, waiting, running, limit, inUse]) family.clear();
    let all = 0;
    for (const level of classes.levels) {
      all += level.waiting;
      if (!level.config.isExempt) limit.withLabels(level.name).set(level.seatLimit);
    }
    inQueue.set(all);
    for (const { schemaName, level, counts } of classes.classes) {
      dispatched.withLabels(schemaName, level.name).set(counts.dispatched);
      if (!level.config.isExempt) {
        waiting.withLabels(schemaName, level.name).set(counts.waiting);
        running.withLabels(schemaName, level.name).set(counts.running);
        inUse.withLabels(schemaName, level.name).set(counts.seatsInUse);
      }
      for (const [reason, count] of Object.entries(counts.rejected)) if (count > 0) rejected.withLabels(schemaName, level.name, reason).set(count);
    }
  });
}
