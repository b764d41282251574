import { defineKind, formatAge, formatSelectorMessage, type Brand, type ObjectOf } from '#api';
import { goQuoted } from '#errors';
import { templateColumns } from '../apps/template-columns.ts';
import { clearFeaturesOff } from '../core/pod/clear-features-off.ts';
import { podRulesOf } from '../core/pod/pod-rules.ts';
import { podWarnings } from '../core/pod/pod-warnings.ts';
import { CronJobV1, CronJobV1beta1, type CronJobSpec } from './cron-job-spec.ts';
import { validateCronJobName, validateCronJobSpec } from './validate-cron-job.ts';

const templateOf = (spec: CronJobSpec): CronJobSpec['jobTemplate']['spec']['template'] => spec.jobTemplate.spec.template;

/** The misspelled path is that of 1.23. */
const zoneWarning = ({ names: { domain } }: Brand): string =>
  `CRON_TZ or TZ used in spec.spec.schedule is not officially supported, see https://${domain}/docs/concepts/workloads/controllers/cron-jobs/ for more details`;

export const CronJob = defineKind(CronJobV1, {
  group: 'batch',
  kind: 'CronJob',
  plural: 'cronjobs',
  shortNames: ['cj'],
  categories: ['all'],
  scope: 'Namespaced',
  repeatsMetadataRules: ['change'],
  versions: {
    v1: { schema: CronJobV1 },
    v1beta1: {
      schema: CronJobV1beta1,
      deprecated: { since: '1.21', goneIn: '1.25', use: 'v1' },
      cascade: 'orphan',
      // Those of 1.23, which takes them for jobs.
      emptyFields: ['status.successful'],
      refuseField: (field) => `field label ${goQuoted(field)} not supported for "CronJob"`,
    },
  },
  storage: 'v1',
  subresources: { status: { verbs: ['get', 'patch', 'update'], writes: ['status'], repeatsMetadataRules: [] } },
  cascade: 'background',
  createOnUpdate: false,
  generation: ['spec'],
  columns: [
    { name: 'Schedule', type: 'string', description: 'When jobs are made, in the form of cron.', cell: ({ spec }) => spec.schedule },
    { name: 'Suspend', type: 'boolean', description: 'Whether no further jobs are made for now.', cell: ({ spec }) => (spec.suspend === true ? 'True' : 'False') },
    { name: 'Active', type: 'integer', description: 'How many of its jobs are running now.', cell: ({ status }) => (status.active ?? []).length },
    { name: 'Last Schedule', type: 'string', description: 'How long ago the last job was made.', cell: ({ status }, nowMs) => (status.lastScheduleTime ? formatAge(status.lastScheduleTime, nowMs) : '<none>') },
    ...templateColumns(templateOf),
    { name: 'Selector', type: 'string', priority: 1, description: 'Selector that the template of its jobs has.', cell: ({ spec }) => formatSelectorMessage(spec.jobTemplate.spec.selector) },
  ],
  prepare(next, live, { subresource }) {
    if (subresource === '') clearFeaturesOff(templateOf(next.spec).spec, live && templateOf(live.spec).spec);
  },
  validate(next, live, at, context) {
    if (context.subresource === 'status') return;
    validateCronJobSpec(next.spec, at.child('spec'), podRulesOf(context, live && templateOf(live.spec)));
    if (live === undefined) validateCronJobName(next.metadata.name ?? '', at.child('metadata', 'name'));
  },
  warn(next, live, { brand, subresource }) {
    if (subresource !== '') return [];
    const isSame = live && live.metadata.generation === next.metadata.generation;
    const warnings = isSame ? [] : podWarnings(templateOf(next.spec), 'spec.jobTemplate.spec.template', brand);
    return next.spec.schedule.includes('TZ') ? [...warnings, zoneWarning(brand)] : warnings;
  },
});
export type CronJob = ObjectOf<typeof CronJob>;
