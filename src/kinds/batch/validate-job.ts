import { isDeepEqual } from '#base';
import { checkDnsLabel, isUsableSelector, validateLabelSelector, type ObjectMeta } from '#api';
import type { FieldErrors } from '#errors';
import { isSameMeaning } from '#schema';
import { validateTemplateLabels } from '../apps/selector-rules.ts';
import type { PodRules } from '../core/pod/pod-rules.ts';
import { PodTemplateSpec } from '../core/pod/pod-template.ts';
import { validatePodTemplate } from '../core/pod/validate-pod-template.ts';
import { requireNotNegative } from '../value-checks.ts';
import { goLabelSelector } from '../go-values.ts';
import type { JobSpec, JobStatus } from './job-spec.ts';

const COMPLETION_MODES = ['NonIndexed', 'Indexed'];
const RESTART_POLICIES = ['OnFailure', 'Never'];
/** Limit for indexed jobs, whose status records completed indexes. */
const MAX_INDEXED_PARALLELISM = 100_000;

export function validateJobSpec(spec: JobSpec, at: FieldErrors, rules: PodRules): void {
  validateJobWork(spec, at, rules);
  const { selector, template } = spec;
  if (selector === undefined) at.child('selector').required();
  validateLabelSelector(selector, at.child('selector'));
  if (selector === undefined || isUsableSelector(selector)) validateTemplateLabels(selector ?? null, template.metadata.labels, at.child('template'));
}

interface Named {
  readonly metadata: ObjectMeta;
  readonly spec: JobSpec;
}

/** The host name of an indexed job's pod is the name of the job and the index: the last one must be a valid label. */
export function validateIndexedName({ metadata: { name = '' }, spec: { completionMode, completions = 0 } }: Named, at: FieldErrors): void {
  if (completionMode !== 'Indexed' || completions <= 0) return;
  const host = `${name}-${completions - 1}`;
  if (checkDnsLabel(host) !== undefined) at.invalid(name, `will not able to create pod with invalid DNS label: ${host}`);
}

/** Validates what jobs share with the template of a CronJob, which has no selector yet. */
export function validateJobWork(spec: JobSpec, at: FieldErrors, rules: PodRules): void {
  for (const name of ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished'] as const) {
    requireNotNegative(spec[name], at.child(name));
  }
  validateCompletionMode(spec, at);
  validatePodTemplate(spec.template, at.child('template'), rules);
  validateRestartPolicy(spec.template, at.child('template', 'spec', 'restartPolicy'));
}

function validateCompletionMode({ completionMode: mode, completions, parallelism = 0 }: JobSpec, at: FieldErrors): void {
  if (mode === undefined) return;
  if (!COMPLETION_MODES.includes(mode)) at.child('completionMode').notSupported(mode, COMPLETION_MODES);
  if (mode !== 'Indexed') return;
  if (completions === undefined) at.child('completions').required('when completion mode is Indexed');
  if (parallelism > MAX_INDEXED_PARALLELISM) {
    at.child('parallelism').invalid(parallelism, `must be less than or equal to ${MAX_INDEXED_PARALLELISM} when completion mode is Indexed`);
  }
}

/** A job must set the restart policy, since the default for pods, `Always`, never completes. */
function validateRestartPolicy({ spec: { restartPolicy } }: PodTemplateSpec, at: FieldErrors): void {
  if (!restartPolicy || restartPolicy === 'Always') at.required('valid values: "OnFailure", "Never"');
  else if (!RESTART_POLICIES.includes(restartPolicy)) at.notSupported(restartPolicy, RESTART_POLICIES);
}

interface Started {
  readonly spec: JobSpec;
  readonly status: JobStatus;
}

/** The work of a job is immutable; its scheduling constraints are mutable while it is suspended and has not started. */
export function validateJobChange(next: JobSpec, live: Started, at: FieldErrors): void {
  const before = live.spec;
  if (next.completions !== before.completions) at.child('completions').invalid(next.completions ?? null, 'field is immutable');
  if (!isDeepEqual(next.selector, before.selector)) at.child('selector').invalid(next.selector && goLabelSelector(next.selector), 'field is immutable');
  const fixed = before.suspend === true && live.status.startTime === undefined ? withoutPlace : whole;
  if (!isSameMeaning(PodTemplateSpec, fixed(next.template), fixed(before.template))) at.child('template').invalid(next.template, 'field is immutable');
  if (next.completionMode !== before.completionMode) at.child('completionMode').invalid(next.completionMode ?? null, 'field is immutable');
}

const whole = (template: PodTemplateSpec): PodTemplateSpec => template;

/** The template without labels, annotations and scheduling constraints. */
function withoutPlace({ metadata, spec }: PodTemplateSpec): PodTemplateSpec {
  const { labels: _labels, annotations: _annotations, ...names } = metadata;
  const { nodeSelector: _selector, tolerations: _tolerations, affinity, ...work } = spec;
  const { nodeAffinity: _nodes, ...others } = affinity ?? {};
  return { metadata: names, spec: { ...work, ...(Object.keys(others).length === 0 ? {} : { affinity: others }) } };
}

export function validateJobStatus(status: JobStatus, at: FieldErrors): void {
  for (const name of ['active', 'succeeded', 'failed', 'ready'] as const) requireNotNegative(status[name], at.child(name));
  const seen = new Set<string>();
  for (const list of ['succeeded', 'failed'] as const) {
    for (const [position, uid] of (status.uncountedTerminatedPods?.[list] ?? []).entries()) {
      const here = at.child('uncountedTerminatedPods', list).index(position);
      if (uid === '') here.invalid(uid, 'must not be empty');
      else if (seen.has(uid)) here.duplicate(uid);
      seen.add(uid);
    }
  }
}
