import { checkQualifiedName, report } from '#api';
import type { FieldErrors } from '#errors';
import { parseQuantity } from '#schema';
import type { ObjectFieldSelector, ResourceFieldSelector } from './field-selectors.ts';
import { requireText } from '../../value-checks.ts';

/** Fields of a pod that a `fieldRef` can name at all, in v1, the only version. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.serviceAccountName',
  'spec.schedulerName',
  'status.phase',
  'status.hostIP',
  'status.podIP',
  'status.podIPs',
]);
const WITH_SUBSCRIPT: ReadonlySet<string> = new Set(['metadata.annotations', 'metadata.labels']);

/** Fields that environment variables may refer to. */
export const ENV_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.podIP',
  'status.podIPs',
] as const;

/** Fields that files of a downward API volume may refer to. */
export const FILE_FIELDS = ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid'] as const;

/** The subscript of a path such as `metadata.labels['app']`, after what precedes it. No regular expression: with one, long paths would take minutes. */
function splitPath(text: string): readonly [path: string, subscript?: string] {
  const opened = text.endsWith("']") ? text.slice(0, -2) : '';
  const at = opened.indexOf("['");
  return at > 0 ? [opened.slice(0, at), opened.slice(at + 2)] : [text];
}

/** Validates a reference to a field of the pod, which may have a subscript as in `metadata.labels['app']`. */
export function validateObjectField(field: ObjectFieldSelector, at: FieldErrors, allowed: readonly string[]): void {
  if (!requireText(field.apiVersion, at.child('apiVersion')) || !requireText(field.fieldPath, at.child('fieldPath'))) return;
  const [path, subscript] = splitPath(field.fieldPath);
  const known = subscript === undefined ? KNOWN_FIELDS : WITH_SUBSCRIPT;
  // `spec.host` is the former name of `spec.nodeName`.
  const name = path === 'spec.host' && subscript === undefined ? 'spec.nodeName' : path;
  if (field.apiVersion !== 'v1' || !known.has(name)) {
    const fault = subscript === undefined ? 'field label not supported' : 'field label does not support subscript';
    const why = field.apiVersion === 'v1' ? `${fault}: ${field.fieldPath}` : `unsupported pod version: ${field.apiVersion}`;
    at.child('fieldPath').invalid(field.fieldPath, `error converting fieldPath: ${why}`);
  } else if (subscript !== undefined) {
    report(at, subscript, checkQualifiedName(name === 'metadata.annotations' ? subscript.toLowerCase() : subscript));
  } else if (!allowed.includes(name)) {
    at.child('fieldPath').notSupported(name, allowed);
  }
}

const RESOURCE_FIELDS = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
] as const;
const HUGE_PAGES = /^(?:requests|limits)\.hugepages-/;
const CPU_DIVISORS: ReadonlySet<string> = new Set(['1m', '1']);
const BYTE_DIVISORS: ReadonlySet<string> = new Set(['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei']);

function bytesNameOf(resource: string): string {
  if (HUGE_PAGES.test(resource)) return 'hugepages';
  return resource.endsWith('.memory') ? 'memory' : 'local ephemeral storage';
}

/** Validates a reference to a resource of a container, with its divisor. In a volume it must name the container. */
export function validateResourceField(field: ResourceFieldSelector, at: FieldErrors, needsContainer: boolean): void {
  const known: readonly string[] = RESOURCE_FIELDS;
  const isBytes = HUGE_PAGES.test(field.resource) || (known.includes(field.resource) && !field.resource.endsWith('.cpu'));
  if (needsContainer && !field.containerName) at.child('containerName').required();
  else if (requireText(field.resource, at.child('resource')) && !known.includes(field.resource) && !isBytes) {
    at.child('resource').notSupported(field.resource, known);
  }
  const divisor = field.divisor ?? '0';
  if (parseQuantity(divisor)?.mantissa === 0n) return;
  if (field.resource.endsWith('.cpu') && known.includes(field.resource)) {
    if (!CPU_DIVISORS.has(divisor)) at.child('divisor').invalid(field.resource, "only divisor's values 1m and 1 are supported with the cpu resource");
  } else if (isBytes && !BYTE_DIVISORS.has(divisor)) {
    at.child('divisor').invalid(field.resource, `only divisor's values ${[...BYTE_DIVISORS].join(', ')} are supported with the ${bytesNameOf(field.resource)} resource`);
  }
}
