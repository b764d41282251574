import { isLongerThan } from '#base';
import { report } from '#api';
import type { FieldErrors } from '#errors';
import type { PodRules } from '../core/pod/pod-rules.ts';
import { requireNotNegative, requireOneOf, requireText } from '../value-checks.ts';
import { goLabelSelector } from '../go-values.ts';
import type { CronJobSpec } from './cron-job-spec.ts';
import { checkSchedule } from './cron-schedule.ts';
import { validateJobWork } from './validate-job.ts';

const POLICIES = ['Allow', 'Forbid', 'Replace'];
/** The name of a job is that of its CronJob and a time of eleven characters. */
const MAX_NAME = 52;

export function validateCronJobSpec(spec: CronJobSpec, at: FieldErrors, rules: PodRules): void {
  const schedule = at.child('schedule');
  if (requireText(spec.schedule, schedule)) report(schedule, spec.schedule, checkSchedule(spec.schedule));
  requireNotNegative(spec.startingDeadlineSeconds, at.child('startingDeadlineSeconds'));
  requireOneOf(spec.concurrencyPolicy, at.child('concurrencyPolicy'), POLICIES);
  validateTemplate(spec, at.child('jobTemplate', 'spec'), rules);
  requireNotNegative(spec.successfulJobsHistoryLimit, at.child('successfulJobsHistoryLimit'));
  requireNotNegative(spec.failedJobsHistoryLimit, at.child('failedJobsHistoryLimit'));
}

/** Validates the job template, which has no selector: one is generated for each job. */
function validateTemplate({ jobTemplate: { spec } }: CronJobSpec, at: FieldErrors, rules: PodRules): void {
  validateJobWork(spec, at, rules);
  if (spec.selector !== undefined) at.child('selector').invalid(goLabelSelector(spec.selector), '`selector` will be auto-generated');
  if (spec.manualSelector === true) at.child('manualSelector').notSupported(true, ['nil', 'false']);
}

/** Validates the name, on create only: existing names may be longer. */
export function validateCronJobName(name: string, at: FieldErrors): void {
  if (isLongerThan(name, MAX_NAME)) at.invalid(name, `must be no more than ${MAX_NAME} characters`);
}
