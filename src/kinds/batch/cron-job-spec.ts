import { ObjectMeta } from '#api';
import { t } from '#schema';
import { ObjectReference } from '../core/object-reference.ts';
import { JobSpec } from './job-spec.ts';

class JobTemplateSpec extends t.message('batch/v1.JobTemplateSpec', {
  metadata: t.one(1, ObjectMeta),
  spec: t.one(2, JobSpec),
}) {}

class JobTemplateSpecV1beta1 extends t.message('batch/v1beta1.JobTemplateSpec', {
  metadata: t.one(1, ObjectMeta),
  spec: t.one(2, JobSpec),
}) {}

const aboutRuns = {
  schedule: t.string(1).required(),
  startingDeadlineSeconds: t.maybe.int64(2),
  concurrencyPolicy: t.string(3).default('Allow'),
  suspend: t.maybe.bool(4).default(false),
};

const aboutHistory = {
  successfulJobsHistoryLimit: t.maybe.int32(6).default(3),
  failedJobsHistoryLimit: t.maybe.int32(7).default(1),
};

const status = {
  active: t.many(1, ObjectReference, 'atomic'),
  lastScheduleTime: t.maybe.time(4),
  lastSuccessfulTime: t.maybe.time(5),
};

export class CronJobSpec extends t.message('batch/v1.CronJobSpec', {
  ...aboutRuns,
  jobTemplate: t.one(5, JobTemplateSpec).required(),
  ...aboutHistory,
}) {}

class CronJobSpecV1beta1 extends t.message('batch/v1beta1.CronJobSpec', {
  ...aboutRuns,
  jobTemplate: t.one(5, JobTemplateSpecV1beta1).required(),
  ...aboutHistory,
}) {}

class CronJobStatus extends t.message('batch/v1.CronJobStatus', status) {}
class CronJobStatusV1beta1 extends t.message('batch/v1beta1.CronJobStatus', status) {}

export class CronJobV1 extends t.message('batch/v1.CronJob', { spec: t.one(2, CronJobSpec), status: t.one(3, CronJobStatus) }) {}

/** The same fields under the message names of v1beta1. */
export class CronJobV1beta1 extends t.message('batch/v1beta1.CronJob', {
  spec: t.one(2, CronJobSpecV1beta1),
  status: t.one(3, CronJobStatusV1beta1),
}) {}
