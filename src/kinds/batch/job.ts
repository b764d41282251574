import { checkLabelValue, defineKind, formatDuration, type ObjectOf } from '#api';
import { goQuoted } from '#errors';
import { t } from '#schema';
import { selectorColumn, templateColumns } from '../apps/template-columns.ts';
import { clearFeaturesOff } from '../core/pod/clear-features-off.ts';
import { podRulesOf } from '../core/pod/pod-rules.ts';
import { podWarnings } from '../core/pod/pod-warnings.ts';
import { generateSelector, validateGeneratedSelector } from './job-selector.ts';
import { fillJob, JobSpec, JobStatus, labelLikePods } from './job-spec.ts';
import { validateIndexedName, validateJobChange, validateJobSpec, validateJobStatus } from './validate-job.ts';

class Body extends t.message('batch/v1.Job', { spec: t.one(2, JobSpec), status: t.one(3, JobStatus) }, { defaults: fillJob }) {}

export const Job = defineKind(Body, {
  group: 'batch',
  kind: 'Job',
  plural: 'jobs',
  categories: ['all'],
  scope: 'Namespaced',
  repeatsMetadataRules: ['content', 'change'],
  versions: { v1: { schema: Body } },
  storage: 'v1',
  subresources: { status: { verbs: ['get', 'patch', 'update'], writes: ['status'] } },
  cascade: 'orphan',
  plainDeleteWarning:
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  createOnUpdate: false,
  generation: ['spec'],
  columns: [
    { name: 'Completions', type: 'string', description: 'Pods that have succeeded, of those that must.', cell: ({ spec, status }) => completionsOf(spec, status) },
    { name: 'Duration', type: 'string', description: 'Time from the start to the end, or to now.', cell: ({ status }, nowMs) => durationOf(status, nowMs) },
    ...templateColumns(({ template }: JobSpec) => template),
    selectorColumn,
  ],
  prepare(next, live, { brand, subresource }) {
    if (subresource !== '') {
      // A status update may omit the template, and does not remove labels that were defaulted from it.
      labelLikePods(next);
      return;
    }
    clearFeaturesOff(next.spec.template.spec, live?.spec.template.spec);
    dropTracking(next, live, `batch.${brand.names.domain}/job-tracking`);
    if (live !== undefined) shareLabels(next);
  },
  completeNamed(next) {
    generateSelector(next);
    shareLabels(next);
  },
  validate(next, live, at, context) {
    if (context.subresource === 'status') {
      validateJobStatus(next.status, at.child('status'));
      return;
    }
    const here = at.child('spec');
    const rules = podRulesOf(context, live?.spec.template);
    validateGeneratedSelector(next, at);
    validateJobSpec(next.spec, here, rules);
    validateIndexedName(next, at.child('metadata', 'name'));
    if (live === undefined) return;
    // kube-apiserver reports these faults twice.
    validateJobSpec(next.spec, here, rules);
    validateJobChange(next.spec, live, here);
  },
  warn(next, live, { brand }) {
    return live && live.metadata.generation === next.metadata.generation ? [] : podWarnings(next.spec.template, 'spec.template', brand);
  },
  refuseField: (field) => `field label ${goQuoted(field)} not supported for Job`,
  select: ({ status }) => ({ 'status.successful': String(status.succeeded ?? 0) }),
});
export type Job = ObjectOf<typeof Job>;

/** Labels a job like its pods. A name that is no valid label value is reported for the labels of the template only. */
function shareLabels(job: Parameters<typeof generateSelector>[0]): void {
  if (checkLabelValue(job.metadata.name ?? '') === undefined) labelLikePods(job);
}

interface Annotated {
  readonly metadata: { annotations?: Record<string, string> };
}

/** Removes the annotation of a feature that is off; jobs that have it already keep it. */
function dropTracking(next: Annotated, live: Annotated | undefined, key: string): void {
  const { annotations } = next.metadata;
  if (annotations === undefined || !Object.hasOwn(annotations, key) || Object.hasOwn(live?.metadata.annotations ?? {}, key)) return;
  delete annotations[key];
  if (Object.keys(annotations).length === 0) delete next.metadata.annotations;
}

function completionsOf({ completions, parallelism = 0 }: JobSpec, { succeeded = 0 }: JobStatus): string {
  if (completions !== undefined) return `${succeeded}/${completions}`;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationOf({ startTime, completionTime }: JobStatus, nowMs: number): string {
  if (!startTime) return '';
  return formatDuration((completionTime ? Date.parse(completionTime) : nowMs) - Date.parse(startTime));
}
