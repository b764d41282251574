import { formatSelectorMessage, type Column, type LabelSelector } from '#api';
import type { PodTemplateSpec } from '../core/pod/pod-template.ts';

/** Names and images of a template's containers, as cells of a table. */
export const containerNames = ({ spec }: PodTemplateSpec): string => (spec.containers ?? []).map(({ name }) => name).join(',');
export const containerImages = ({ spec }: PodTemplateSpec): string => (spec.containers ?? []).map(({ image = '' }) => image).join(',');

/** The columns of wide tables that tell what the pods of a kind are made of. */
export const templateColumns = <Spec>(templateOf: (spec: Spec) => PodTemplateSpec | undefined): readonly Column<{ readonly spec: Spec }>[] => {
  const cellOf = (format: (template: PodTemplateSpec) => string) => ({ spec }: { readonly spec: Spec }): string => {
    const template = templateOf(spec);
    return template === undefined ? '' : format(template);
  };
  return [
    { name: 'Containers', type: 'string', priority: 1, description: 'Names of the containers in the template.', cell: cellOf(containerNames) },
    { name: 'Images', type: 'string', priority: 1, description: 'Images of the containers in the template.', cell: cellOf(containerImages) },
  ];
};

/** The column of wide tables with the selector of a kind's pods. */
export const selectorColumn: Column<{ readonly spec: { readonly selector?: LabelSelector | null } }> = {
  name: 'Selector',
  type: 'string',
  priority: 1,
  description: 'Labels of the pods that belong here.',
  cell: ({ spec }) => formatSelectorMessage(spec.selector),
};
