import { defineKind, formatLabels, type ObjectOf } from '#api';
import { t } from '#schema';
import { containerImages, containerNames } from '../apps/template-columns.ts';
import { clearFeaturesOff } from './pod/clear-features-off.ts';
import { podRulesOf } from './pod/pod-rules.ts';
import { PodTemplateSpec } from './pod/pod-template.ts';
import { podWarnings } from './pod/pod-warnings.ts';
import { validatePodTemplate } from './pod/validate-pod-template.ts';

class Body extends t.message('core/v1.PodTemplate', { template: t.one(2, PodTemplateSpec) }) {}

export const PodTemplate = defineKind(Body, {
  group: '',
  kind: 'PodTemplate',
  plural: 'podtemplates',
  scope: 'Namespaced',
  repeatsMetadataRules: ['change'],
  versions: { v1: { schema: Body } },
  storage: 'v1',
  createOnUpdate: false,
  deleteShowsObject: true,
  generation: ['template'],
  columns: [
    // All columns, the name included, since this kind has no age column.
    { name: 'Name', type: 'string', format: 'name', description: 'The name of the object, unique among those of its kind in its namespace.', cell: ({ metadata }) => metadata.name ?? '' },
    { name: 'Containers', type: 'string', description: 'Names of the containers in the template.', cell: ({ template }) => containerNames(template) },
    { name: 'Images', type: 'string', description: 'Images of the containers in the template.', cell: ({ template }) => containerImages(template) },
    { name: 'Pod Labels', type: 'string', description: 'Labels that pods from this template get.', cell: ({ template }) => formatLabels(template.metadata.labels) },
  ],
  prepare(next, live) {
    clearFeaturesOff(next.template.spec, live?.template.spec);
  },
  validate({ template }, live, at, context) {
    validatePodTemplate(template, at.child('template'), podRulesOf(context, live?.template));
  },
  warn(next, live, { brand }) {
    return live && live.metadata.generation === next.metadata.generation ? [] : podWarnings(next.template, 'template', brand);
  },
});
export type PodTemplate = ObjectOf<typeof PodTemplate>;
