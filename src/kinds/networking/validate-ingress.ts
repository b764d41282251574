import { checkDns1035Label, checkDnsSubdomain, checkPortName, checkPortNumber, checkWildcardSubdomain, parseIp, report } from '#api';
import { FieldErrors } from '#errors';
import { requireValid } from '../value-checks.ts';
import { goList } from '../go-values.ts';
import type { HTTPIngressPath, IngressBackend, IngressRule, IngressServiceBackend, IngressSpec, IngressTLS } from './ingress-spec.ts';
import { validateReference } from './typed-reference-rules.ts';

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];
/** Forbidden parts of a path of type `Exact` or `Prefix`. */
const BAD_PARTS = ['//', '/./', '/../', '%2f', '%2F'];
const BAD_ENDS = ['/..', '/.'];

/** Faults that an ingress may keep, since the rules are younger than it. */
interface Leave {
  readonly anySecretName: boolean;
  readonly anyPathsOfWildcards: boolean;
}

export function validateIngressSpec(spec: IngressSpec, live: IngressSpec | undefined, at: FieldErrors): void {
  const rules = spec.rules ?? [];
  const leave = leaveOf(live);
  if (rules.length === 0 && spec.defaultBackend === undefined) at.invalid(goList('networking.IngressRule', spec.rules && []), 'either `defaultBackend` or `rules` must be specified');
  if (spec.defaultBackend !== undefined) validateBackend(spec.defaultBackend, at.child('defaultBackend'));
  for (const [position, rule] of rules.entries()) validateRule(rule, leave, at.child('rules').index(position));
  for (const [position, tls] of (spec.tls ?? []).entries()) validateTls(tls, leave, at.child('tls').index(position));
  if (spec.ingressClassName !== undefined) report(at.child('ingressClassName'), spec.ingressClassName, checkDnsSubdomain(spec.ingressClassName));
}

function leaveOf(live: IngressSpec | undefined): Leave {
  const hasFaults = (http: IngressRule['http']): boolean => {
    const at = new FieldErrors();
    validatePaths(http, at);
    return !at.isEmpty;
  };
  return {
    anySecretName: (live?.tls ?? []).some(({ secretName }) => secretName && checkDnsSubdomain(secretName) !== undefined),
    anyPathsOfWildcards: (live?.rules ?? []).some(({ host, http }) => isWildcard(host) && hasFaults(http)),
  };
}

const isWildcard = (host: string | undefined): boolean => host?.includes('*') ?? false;

function validateHost(host: string, at: FieldErrors): void {
  report(at, host, isWildcard(host) ? checkWildcardSubdomain(host) : checkDnsSubdomain(host));
}

function validateRule({ host, http }: IngressRule, { anyPathsOfWildcards }: Leave, at: FieldErrors): void {
  if (host) {
    if (parseIp(host) !== undefined) at.child('host').invalid(host, 'must be a DNS name, not an IP address');
    validateHost(host, at.child('host'));
  }
  if (!isWildcard(host) || !anyPathsOfWildcards) validatePaths(http, at);
}

function validatePaths(http: IngressRule['http'], at: FieldErrors): void {
  if (http === undefined) return;
  const here = at.child('http', 'paths');
  if ((http.paths ?? []).length === 0) here.required();
  for (const [position, path] of (http.paths ?? []).entries()) validatePath(path, here.index(position));
}

function validatePath({ path = '', pathType, backend }: HTTPIngressPath, at: FieldErrors): void {
  if (pathType === null || pathType === undefined) {
    at.child('pathType').required('pathType must be specified');
    return;
  }
  const here = at.child('path');
  if (!PATH_TYPES.includes(pathType)) at.child('pathType').notSupported(pathType, PATH_TYPES);
  else if (pathType === 'ImplementationSpecific') {
    if (path !== '' && !path.startsWith('/')) here.invalid(path, 'must be an absolute path');
  } else validateExactPath(path, here);
  validateBackend(backend, at.child('backend'));
}

function validateExactPath(path: string, at: FieldErrors): void {
  if (!path.startsWith('/')) at.invalid(path, 'must be an absolute path');
  for (const part of BAD_PARTS) if (path.includes(part)) at.invalid(path, `must not contain '${part}'`);
  for (const end of BAD_ENDS) if (path.endsWith(end)) at.invalid(path, `cannot end with '${end}'`);
}

function validateBackend({ service, resource }: IngressBackend, at: FieldErrors): void {
  if (service !== undefined && resource !== undefined) at.invalid('', 'cannot set both resource and service backends');
  else if (resource !== undefined) validateReference(resource, at.child('resource'));
  else if (service !== undefined) validateService(service, at);
  else at.invalid('', 'resource or service backend is required');
}

/** Faults in the choice of the port are reported at the path of the backend. */
function validateService({ name, port }: IngressServiceBackend, at: FieldErrors): void {
  const here = at.child('service');
  requireValid(name, here.child('name'), checkDns1035Label);
  if (port.name && port.number) at.invalid('', 'cannot set both port name & port number');
  else if (port.name) report(here.child('port', 'name'), port.name, checkPortName(port.name));
  else if (port.number) report(here.child('port', 'number'), port.number, checkPortNumber(port.number));
  else at.required('port name or number is required');
}

function validateTls({ hosts = [], secretName }: IngressTLS, { anySecretName }: Leave, at: FieldErrors): void {
  for (const [position, host] of hosts.entries()) validateHost(host, at.child('hosts').index(position));
  if (secretName && !anySecretName) report(at.child('secretName'), secretName, checkDnsSubdomain(secretName));
}
