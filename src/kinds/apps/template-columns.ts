import type { PodTemplateSpec } from '../core/pod/pod-template.ts';

/** Table cells with names and images of a template's containers. */
export const containerNames = ({ spec }: PodTemplateSpec): string => (spec.containers ?? []).map(({ name }) => name).join(',');
export const containerImages = ({ spec }: PodTemplateSpec): string => (spec.containers ?? []).map(({ image = '' }) => image).join(',');
