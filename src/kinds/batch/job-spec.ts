import { LabelSelector } from '#api';
import { t } from '#schema';
import { PodTemplateSpec } from '../core/pod/pod-template.ts';

/** The spec of a job; in the template of a CronJob no defaults are set. */
export class JobSpec extends t.message('batch/v1.JobSpec', {
  parallelism: t.maybe.int32(1),
  completions: t.maybe.int32(2),
  activeDeadlineSeconds: t.maybe.int64(3),
  backoffLimit: t.maybe.int32(7),
  selector: t.perhaps(4, LabelSelector),
  manualSelector: t.maybe.bool(5),
  template: t.one(6, PodTemplateSpec).required(),
  ttlSecondsAfterFinished: t.maybe.int32(8),
  completionMode: t.maybe.string(9),
  suspend: t.maybe.bool(10),
}) {}

class JobCondition extends t.message('batch/v1.JobCondition', {
  type: t.string(1).required(),
  status: t.string(2).required(),
  lastProbeTime: t.time(3),
  lastTransitionTime: t.time(4),
  reason: t.string(5),
  message: t.string(6),
}) {}

class UncountedTerminatedPods extends t.message('batch/v1.UncountedTerminatedPods', {
  succeeded: t.strings(1, 'set'),
  failed: t.strings(2, 'set'),
}) {}

export class JobStatus extends t.message('batch/v1.JobStatus', {
  conditions: t.many(1, JobCondition, 'atomic').mergeBy('type'),
  startTime: t.maybe.time(2),
  completionTime: t.maybe.time(3),
  active: t.int32(4),
  succeeded: t.int32(5),
  failed: t.int32(6),
  completedIndexes: t.string(7),
  uncountedTerminatedPods: t.perhaps(8, UncountedTerminatedPods),
  ready: t.maybe.int32(9),
}) {}

interface JobParts {
  readonly metadata?: { labels?: Record<string, string> };
  readonly spec: JobSpec;
}

/** Sets the defaults of a job: one completion unless parallelism is set, and the labels of its pods. */
export function fillJob(job: JobParts): void {
  const { spec } = job;
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= 6;
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  labelLikePods(job);
}

/** Labels a job like its pods if it has no labels; runs again when the template gets labels later. From then on both are the same object. */
export function labelLikePods({ metadata, spec }: JobParts): void {
  const labels = spec.template.metadata.labels ?? {};
  if (metadata === undefined || Object.keys(metadata.labels ?? {}).length > 0 || Object.keys(labels).length === 0) return;
  metadata.labels = labels;
}
