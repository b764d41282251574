import { brandOf, type Dialect } from '#api';
import { FieldErrors } from '#errors';
import { applyDefaults, decode } from '#schema';
import { clearFeaturesOff } from './clear-features-off.ts';
import type { PodRules } from './pod-rules.ts';
import { PodTemplateSpec } from './pod-template.ts';
import { validatePodTemplate } from './validate-pod-template.ts';

export const container = (more: object = {}): object => ({ name: 'c', image: 'img:1', ...more });

/** A decoded template with defaults applied. */
export function templateOf(spec: object, metadata: object = {}): PodTemplateSpec {
  const value = decode(PodTemplateSpec.type, { metadata, spec: { containers: [container()], ...spec } });
  applyDefaults(PodTemplateSpec.type, value);
  const template = value as unknown as PodTemplateSpec;
  clearFeaturesOff(template.spec);
  return template;
}

export interface Setting {
  readonly metadata?: object;
  readonly dialect?: Dialect;
  readonly allowsPrivileged?: boolean;
}

/** Validates a template; returns `Reason field`, each once. Paths are relative to the template, reasons without `FieldValue`. */
export function faultsOf(spec: object, { metadata, dialect = 'orch', allowsPrivileged = false }: Setting = {}): readonly string[] {
  const rules: PodRules = { brand: brandOf(dialect), allowsPrivileged };
  const at = new FieldErrors();
  validatePodTemplate(templateOf(spec, metadata), at, rules);
  return [...new Set(at.causes.map((cause) => `${cause.reason?.replace('FieldValue', '')} ${cause.field ?? ''}`))];
}
