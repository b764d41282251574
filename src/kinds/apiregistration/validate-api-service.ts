import { base64Length, checkDns1035Label, checkDnsSubdomain, checkPathSegment, checkPortNumber, report, type ApiObject } from '#api';
import { goQuoted, type FieldErrors } from '#errors';
import type { APIServiceSpec, APIServiceStatus } from './api-service-messages.ts';

const MAX_GROUP_PRIORITY = 20_000;
const MAX_VERSION_PRIORITY = 1000;
const STATUSES = ['True', 'False', 'Unknown'];

interface Service extends Pick<ApiObject, 'metadata'> {
  readonly spec: APIServiceSpec;
}

export function validateApiService({ metadata, spec }: Service, at: FieldErrors): void {
  for (const member of ['generateName', 'name'] as const) validateName(metadata[member] ?? '', spec, at.child('metadata', member));
  const { group = '', version = '', groupPriorityMinimum, versionPriority } = spec;
  const place = at.child('spec');
  if (group === '' && version !== 'v1') place.child('group').required('only v1 may have an empty group and it better be legacy kube');
  if (group !== '') report(place.child('group'), group, checkDnsSubdomain(group));
  report(place.child('version'), version, checkDns1035Label(version));
  validatePriority(groupPriorityMinimum, MAX_GROUP_PRIORITY, place.child('groupPriorityMinimum'));
  validatePriority(versionPriority, MAX_VERSION_PRIORITY, place.child('versionPriority'));
  validateBackend(spec, place);
}

/** Checks that the name fits group and version; malformed names are reported by the rules for all kinds. */
function validateName(name: string, { group = '', version = '' }: APIServiceSpec, at: FieldErrors): void {
  const wanted = `${version}.${group}`;
  if (name !== '' && checkPathSegment(name) === undefined && name !== wanted) at.invalid(name, `must be \`spec.version+"."+spec.group\`: ${goQuoted(wanted)}`);
}

function validatePriority(priority: number, max: number, at: FieldErrors): void {
  if (priority <= 0 || priority > max) at.invalid(priority, `must be positive and less than ${max}`);
}

function validateBackend({ service, caBundle = '', insecureSkipTLSVerify = false }: APIServiceSpec, at: FieldErrors): void {
  const trust = at.child('insecureSkipTLSVerify');
  if (service === undefined) {
    if (caBundle) at.child('caBundle').invalid(`${base64Length(caBundle)} bytes`, 'local APIServices may not have a caBundle');
    if (insecureSkipTLSVerify) trust.invalid(insecureSkipTLSVerify, 'local APIServices may not have insecureSkipTLSVerify');
    return;
  }
  const place = at.child('service');
  if (!service.namespace) place.child('namespace').required();
  if (!service.name) place.child('name').required();
  if (service.port !== undefined) report(place.child('port'), service.port, checkPortNumber(service.port)?.map((why) => `port is not valid: ${why}`));
  if (insecureSkipTLSVerify && caBundle) trust.invalid(insecureSkipTLSVerify, 'may not be true if caBundle is present');
}

export function validateApiServiceStatus({ conditions }: APIServiceStatus, at: FieldErrors): void {
  for (const [position, { status }] of (conditions ?? []).entries()) {
    if (!STATUSES.includes(status)) at.child('conditions').index(position).child('status').notSupported(status, STATUSES);
  }
}
