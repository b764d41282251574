import type { AdmissionObserver, PodSecurityObserver, Run, Step } from '#admission';
import type { Histogram, Metrics } from '#http';

const SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5];

/** Counts and times what plugins and webhooks do. @spec 6 @spec 4.11 */
export function admissionMetrics(metrics: Metrics): AdmissionObserver {
  const labels = ['name', 'operation', 'rejected', 'type'];
  const plugins = metrics.histogram('apiserver_admission_controller_admission_duration_seconds', 'Time in one admission plugin.', SECONDS, labels);
  const steps = metrics.histogram('apiserver_admission_step_admission_duration_seconds', 'Time in all plugins of one part of admission.', SECONDS, labels.slice(1));
  const webhooks = metrics.histogram('apiserver_admission_webhook_admission_duration_seconds', 'Time in one admission webhook.', SECONDS, labels);
  const calls = metrics.counter('apiserver_admission_webhook_request_total', 'Calls of admission webhooks, by the code they ended with.', ['code', ...labels]);
  const rejections = metrics.counter('apiserver_admission_webhook_rejection_count', 'Requests that admission webhooks rejected, by why.', ['error_type', 'name', 'operation', 'rejection_code', 'type']);
  const failedOpen = metrics.counter('apiserver_admission_webhook_fail_open_count', 'Webhooks that failed and were passed over.', ['name', 'type']);
  const seriesOfPlugins = new Map<string, SeriesOfRuns>();
  const seriesOfSteps = keptSeries((operation, rejected, step) => steps.withLabels(operation, rejected, step));
  return {
    plugin(run) {
      const { name } = run;
      let seriesOf = seriesOfPlugins.get(name);
      if (seriesOf === undefined) seriesOfPlugins.set(name, (seriesOf = keptSeries((operation, rejected, step) => plugins.withLabels(name, operation, rejected, step))));
      seriesOf(run).observe(run.durationMs / 1_000);
    },
    step: (run) => seriesOfSteps(run).observe(run.durationMs / 1_000),
    webhook({ name, operation, rejected, type, code, durationMs }) {
      webhooks.withLabels(name, operation, String(rejected), type).observe(durationMs / 1_000);
      calls.withLabels(String(Math.min(code, MAX_CODE)), name, operation, String(rejected), type).add(1);
    },
    webhookRejected: ({ name, type, operation, errorType, rejectionCode }) => rejections.withLabels(errorType, name, operation, String(rejectionCode), type).add(1),
    webhookFailedOpen: ({ name, type }) => failedOpen.withLabels(name, type).add(1),
    podSecurity: podSecurityMetrics(metrics),
  };
}

/** Counts what PodSecurity decides. What most pods meet, the privileged level, is bound at the start. */
function podSecurityMetrics(metrics: Metrics): PodSecurityObserver {
  const labels = ['request_operation', 'resource', 'subresource'];
  const evaluations = metrics.counter('pod_security_evaluations_total', 'Pods and templates of pods that were held to a standard, by what came of it.', ['decision', 'policy_level', 'policy_version', 'mode', ...labels]);
  const exemptions = metrics.counter('pod_security_exemptions_total', 'Requests that are exempt from the standards for pods.', labels);
  const errors = metrics.counter('pod_security_errors_total', 'Requests whose standards could not be read.', ['fatal', ...labels]);
  const allowed = new Map(['create', 'update'].map((operation) => [operation, evaluations.withLabels('allow', 'privileged', 'latest', 'enforce', operation, 'pod', '')]));
  for (const operation of allowed.keys()) for (const resource of ['pod', 'controller']) exemptions.withLabels(operation, resource, '');
  return {
    evaluated({ decision, level, version, mode, operation: asked, resource, subresource }) {
      const operation = asked.toLowerCase();
      const usual = level === 'privileged' && mode === 'enforce' && subresource === '' ? allowed.get(operation) : undefined;
      (usual ?? evaluations.withLabels(decision, level, version, mode, operation, resource, subresource)).add(1);
    },
    exempted: ({ operation, resource, subresource }) => exemptions.withLabels(operation.toLowerCase(), resource, subresource).add(1),
    failed: ({ operation, resource, subresource }) => errors.withLabels('false', operation.toLowerCase(), resource, subresource).add(1),
  };
}

type SeriesOfRuns = (run: Run & { readonly step: Step }) => Histogram;

/** Every plugin is timed twice per write: the series are kept, so that no label set is assembled on the way. */
function keptSeries(make: (operation: string, rejected: string, step: Step) => Histogram): SeriesOfRuns {
  const kept = { admit: new Map<string, Histogram>(), validate: new Map<string, Histogram>() };
  return ({ operation, rejected, step }) => {
    if (rejected) return make(operation, 'true', step);
    const accepted = kept[step];
    let series = accepted.get(operation);
    if (series === undefined) accepted.set(operation, (series = make(operation, 'false', step)));
    return series;
  };
}

/** Webhooks choose their codes freely: larger ones share a series. */
const MAX_CODE = 600;

/** Notifies both observers. */
export function bothObservers(one: AdmissionObserver, other: AdmissionObserver | undefined): AdmissionObserver {
  if (other === undefined) return one;
  return {
    plugin(run) {
      one.plugin(run);
      other.plugin(run);
    },
    step(run) {
      one.step(run);
      other.step(run);
    },
    webhook(run) {
      one.webhook(run);
      other.webhook(run);
    },
    webhookRejected(rejection) {
      one.webhookRejected(rejection);
      other.webhookRejected(rejection);
    },
    webhookFailedOpen(webhook) {
      one.webhookFailedOpen(webhook);
      other.webhookFailedOpen(webhook);
    },
    podSecurity: {
      evaluated(verdict) {
        one.podSecurity?.evaluated(verdict);
        other.podSecurity?.evaluated(verdict);
      },
      exempted(request) {
        one.podSecurity?.exempted(request);
        other.podSecurity?.exempted(request);
      },
      failed(request) {
        one.podSecurity?.failed(request);
        other.podSecurity?.failed(request);
      },
    },
  };
}
