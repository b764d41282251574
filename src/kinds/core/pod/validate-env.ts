import { checkConfigMapKey, checkDnsSubdomain, checkEnvVarName, nameBeginning, report, type Faults } from '#api';
import type { FieldErrors } from '#errors';
import type { ConfigMapKeySelector, EnvFromSource, EnvVar, EnvVarSource, SecretKeySelector } from './env.ts';
import { ENV_FIELDS, validateObjectField, validateResourceField } from './validate-field-selectors.ts';
import { requireValid } from '../../value-checks.ts';

export function validateEnv(variables: readonly EnvVar[], at: FieldErrors): void {
  for (const [position, variable] of variables.entries()) {
    const here = at.index(position);
    requireValid(variable.name, here.child('name'), checkEnvVarName);
    if (variable.valueFrom) validateSource(variable.valueFrom, Boolean(variable.value), here.child('valueFrom'));
  }
}

function validateSource(source: EnvVarSource, hasValue: boolean, at: FieldErrors): void {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = source;
  if (fieldRef) validateObjectField(fieldRef, at.child('fieldRef'), ENV_FIELDS);
  if (resourceFieldRef) validateResourceField(resourceFieldRef, at.child('resourceFieldRef'), false);
  if (configMapKeyRef) validateKey(configMapKeyRef, at.child('configMapKeyRef'));
  if (secretKeyRef) validateKey(secretKeyRef, at.child('secretKeyRef'));
  const count = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef].filter(Boolean).length;
  if (count === 0) at.invalid('', 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`');
  else if (hasValue) at.invalid('', 'may not be specified when `value` is not empty');
  else if (count > 1) at.invalid('', 'may not have more than one field specified at a time');
}

function validateKey(reference: ConfigMapKeySelector | SecretKeySelector, at: FieldErrors): void {
  const name = reference.name ?? '';
  report(at.child('name'), name, checkDnsSubdomain(name));
  requireValid(reference.key, at.child('key'), checkConfigMapKey);
}

export function validateEnvFrom(sources: readonly EnvFromSource[], at: FieldErrors): void {
  for (const [position, { prefix, configMapRef, secretRef }] of sources.entries()) {
    const here = at.index(position);
    if (prefix) report(here.child('prefix'), prefix, checkEnvVarName(prefix));
    if (configMapRef) requireValid(configMapRef.name, here.child('configMapRef', 'name'), checkWholeSource);
    if (secretRef) requireValid(secretRef.name, here.child('secretRef', 'name'), checkWholeSource);
    // kube-apiserver reports this at the path of the list.
    if (!configMapRef && !secretRef) at.invalid('', 'must specify one of: `configMapRef` or `secretRef`');
    else if (configMapRef && secretRef) at.invalid('', 'may not have more than one field specified at a time');
  }
}

/** kube-apiserver validates the name like the beginning of one here, but not where a single key is referenced. */
const checkWholeSource = (name: string): Faults => checkDnsSubdomain(nameBeginning(name));
