import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf, compileFieldSelector, parseFieldSelector } from '#api';
import { cellsOf, write } from '../test-support.ts';
import { CronJob, type CronJob as One } from './cron-job.ts';
import { checkSchedule } from './cron-schedule.ts';

const job = { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } };
const body = (spec: object = {}, name = 'a'): object => ({ metadata: { name }, spec: { schedule: '@daily', jobTemplate: { spec: job }, ...spec } });

const good = ['* * * * *', '*/5 0-4 1,15 jan-mar MON', '0 0 ? * 0', '5/15 * * * *', '@hourly', '@every 1h30m', 'TZ=UTC 0 0 * * *', 'CRON_TZ=Europe/Berlin @daily', 'TZ=US/Pacific 1 * * * *', 'TZ=Etc/GMT+1 1 * * * *', 'TZ= 1 * * * *', 'TZ=Local 1 * * * *', '1,,2 , * * *', ' 1  2 3 4 5 '];
const bad = ['', '* * * *', '* * * * * *', '60 * * * *', '* 24 * * *', '* * 0 * *', '* * * 13 *', '* * * * 7', '5-1 * * * *', '*/0 * * * *', '1/2/3 * * * *', '1-2-3 * * * *', 'x * * * *', '-1 * * * *', '@often', '@every x', 'TZ=Nowhere/Land 0 0 * * *', 'TZ=utc 1 * * * *', 'TZ=europe/berlin 1 * * * *', 'TZ=EUROPE/BERLIN 1 * * * *', 'TZ=+01:00 1 * * * *'];

for (const schedule of good) test(`CronJob: schedule '${schedule}'`, () => assert.equal(checkSchedule(schedule), undefined));
for (const schedule of bad) test(`CronJob: no schedule '${schedule}'`, () => assert.equal(checkSchedule(schedule)?.length, 1));

const faults: readonly (readonly [schedule: string, fault: string])[] = [
  ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
  ['* 24 * * *', 'end of range (24) above maximum (23): 24'],
  ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
  ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
  ['*/0 * * * *', 'step of range should be a positive number: */0'],
  ['@often', 'unrecognized descriptor: @often'],
  ['@every x', 'failed to parse duration @every x: time: invalid duration "x"'],
  ['@every 5', 'failed to parse duration @every 5: time: missing unit in duration "5"'],
  [' @daily', 'expected exactly 5 fields, found 1: [@daily]'],
  ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
  ['70/5 * * * *', 'beginning of range (70) beyond end of range (59): 70/5'],
  ['1-70/5 * * * *', 'end of range (70) above maximum (59): 1-70/5'],
  ['*/-5 * * * *', 'negative number (-5) not allowed: -5'],
  ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
  ['CRON_TZ=Nowhere/Land 0 0 * * *', 'provided bad location Nowhere/Land: unknown time zone Nowhere/Land'],
];
for (const [schedule, fault] of faults) test(`CronJob: what is wrong with '${schedule}'`, () => assert.deepEqual(checkSchedule(schedule), [fault]));

test('CronJob: a zone inside the schedule is warned of at each write of the spec', () => {
  const { object } = write(CronJob, { body: body({ schedule: 'TZ=UTC @daily' }) });
  const context = { brand: brandOf('orch'), subresource: '', nowMs: 0 };
  for (const live of [undefined, object as One]) assert.match(CronJob.warn?.(object as One, live, context).join() ?? '', /^CRON_TZ or TZ used in spec.spec.schedule is not .* see https:\/\/orch\.io\/docs/);
  assert.deepEqual(CronJob.warn?.(object as One, object as One, { ...context, subresource: 'status' }), []);
  assert.deepEqual(CronJob.warn?.(write(CronJob, { body: body() }).object as One, undefined, context), []);
});

for (const schedule of [`${'1,'.repeat(50_000)}x * * * *`, `@every ${'1'.repeat(1_000_000)}`]) {
  test(`CronJob: the hostile schedule ${schedule.slice(0, 10)} is refused fast`, () => assert.notEqual(checkSchedule(schedule), undefined));
}

const created: readonly (readonly [title: string, spec: object, causes: readonly string[]])[] = [
  ['nothing wrong', {}, []],
  ['no schedule', { schedule: '' }, ['Required spec.schedule']],
  ['a bad schedule', { schedule: 'daily' }, ['Invalid spec.schedule']],
  ['an unknown policy', { concurrencyPolicy: 'Bogus' }, ['NotSupported spec.concurrencyPolicy']],
  ['numbers below zero', { startingDeadlineSeconds: -1, failedJobsHistoryLimit: -1 }, ['Invalid spec.startingDeadlineSeconds', 'Invalid spec.failedJobsHistoryLimit']],
  ['a selector', { jobTemplate: { spec: { ...job, selector: {}, manualSelector: true } } }, ['Invalid spec.jobTemplate.spec.selector', 'NotSupported spec.jobTemplate.spec.manualSelector']],
  ['a bad job', { jobTemplate: { spec: { ...job, completions: -1 } } }, ['Invalid spec.jobTemplate.spec.completions']],
];

for (const [title, spec, causes] of created) {
  test(`CronJob: ${title}`, () => assert.deepEqual(write(CronJob, { body: body(spec) }).causes, causes));
}

test('CronJob: a name leaves room for those of its jobs, and an old one is not held against it', () => {
  const long = body({}, 'a'.repeat(53));
  const { object, causes } = write(CronJob, { body: long });
  assert.deepEqual([causes, write(CronJob, { body: long, live: object }).causes], [['Invalid metadata.name'], []]);
});

test('CronJob: a selector of its jobs, in words that clients know', () => {
  const { messages } = write(CronJob, { body: body({ jobTemplate: { spec: { ...job, selector: { matchLabels: { a: 'b' } } } } }) });
  assert.deepEqual(messages, ['Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"a":"b"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: `selector` will be auto-generated']);
});

test('R4.3 CronJob: its older version knows the field of jobs, which no object has, and refuses others in its own words', () => {
  const ask = (selector: string, version: 'v1' | 'v1beta1'): boolean | undefined =>
    compileFieldSelector(parseFieldSelector(selector), CronJob, CronJob.versions[version])?.matches({ 'metadata.name': 'a' });
  assert.deepEqual([ask('status.successful=1', 'v1beta1'), ask('status.successful!=1', 'v1beta1'), ask('metadata.name=a', 'v1beta1')], [false, true, true]);
  assert.throws(() => ask('spec.nope=1', 'v1beta1'), { message: 'field label "spec.nope" not supported for "CronJob"' });
  assert.throws(() => ask('status.successful=1', 'v1'), { message: '"status.successful" is not a known field selector: only "metadata.name", "metadata.namespace"' });
});

test('CronJob: nothing is filled into its jobs before they are made', () => {
  const { spec } = write(CronJob, { body: body() }).object as One;
  assert.deepEqual([spec.jobTemplate.spec.backoffLimit, spec.jobTemplate.spec.completions, spec.suspend, spec.concurrencyPolicy], [undefined, undefined, false, 'Allow']);
  assert.deepEqual([spec.successfulJobsHistoryLimit, spec.failedJobsHistoryLimit], [3, 1]);
});

test('CronJob: columns', () => {
  const { object } = write(CronJob, { body: { ...body(), status: { lastScheduleTime: '1970-01-01T00:00:00Z', active: [{}] } } });
  assert.deepEqual(cellsOf(CronJob, object), ['@daily', 'False', 1, '0s', 'c', 'i', '<none>']);
});
