import { isInQuota, isInScope, isOfPod, quotaNames, quotaUsageOf, scopesOf, usageDifference, type Pod, type QuotaSubject, type ResourceQuota, type Usage } from '#kinds';
import { refuse, type AdmissionEnv, type AdmissionRequest } from '../../../plugin.ts';
import type { LimitedUse } from './limited.ts';

/** The usage that one request adds to the quotas of its namespace. */
export interface Charge {
  readonly request: Readonly<AdmissionRequest>;
  readonly subject: QuotaSubject;
  /** The increase of usage, by resource name; only amounts above zero. */
  readonly usage: Usage;
  readonly limits: LimitedUse | undefined;
}

/** The charge of a request; undefined: it has no object. Throws `Forbidden` where the usage of the object is negative. */
export function chargeOf(request: Readonly<AdmissionRequest>, limits: LimitedUse | undefined, env: AdmissionEnv): Charge | undefined {
  const { resource, object, live } = request;
  if (object === undefined) return undefined;
  const subject: QuotaSubject = { group: resource.group, plural: resource.plural, object };
  const context = { brand: env.brand, nowMs: env.clock.nowMs() };
  const next = quotaUsageOf(subject, context);
  const negative = [...next].filter(([, amount]) => amount.mantissa < 0n).map(([name]) => name);
  if (negative.length > 0) throw refuse(request, `quota usage is negative for resource(s): ${negative.sort().join(',')}`);
  const more = live === undefined ? next : usageDifference(next, quotaUsageOf({ ...subject, object: live }, context));
  const usage = new Map([...more].filter(([, amount]) => amount.mantissa > 0n));
  return { request, subject, usage, limits };
}

/** Whether a quota counts the object. `status.hard` decides, not `spec.hard`: the controller has not yet counted usage by the latter. */
export const concerns = ({ spec, status }: ResourceQuota, { subject }: Charge, { brand }: AdmissionEnv): boolean =>
  isInQuota({ ...spec, hard: status.hard ?? {} }, subject, { brand });

/** The resource names by which a quota limits the object. */
export const limitedNames = ({ status }: ResourceQuota, { subject }: Charge, { brand }: AdmissionEnv): readonly string[] =>
  [...quotaNames({ hard: status.hard ?? {} }, subject, { brand })].sort();

/** The scopes of a quota that the object is in. */
export const matchedScopes = ({ spec }: ResourceQuota, { subject }: Charge): readonly string[] =>
  scopesOf(spec)
    .filter((scope) => isInScope(scope, subject))
    .map(({ scopeName }) => scopeName);

/** A quota on one of these requires every container to set it. */
const TO_BE_SAID = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'];

/** Those of the resource names that containers of a pod must set and do not, in the order of `names`. */
export function unsaid({ subject }: Charge, names: readonly string[]): readonly string[] {
  if (!isOfPod(subject)) return [];
  const { spec } = subject.object as Pod;
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  return names.filter((name) => TO_BE_SAID.includes(name) && !containers.every(({ resources }) => says(resources, name)));
}

function says({ requests = {}, limits = {} }: { readonly requests?: object; readonly limits?: object }, name: string): boolean {
  const resource = name.slice(name.indexOf('.') + 1);
  return Object.hasOwn(name.startsWith('limits.') ? limits : requests, resource);
}
