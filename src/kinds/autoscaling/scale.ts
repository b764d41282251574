import { formatSelectorMessage, validateObjectMeta, type ApiObject, type KindObject, type LabelSelector, type Scaling, type Subresource } from '#api';
import { goQuoted, internalError, type FieldErrors } from '#errors';
import { t } from '#schema';
import { requireNotNegative } from '../value-checks.ts';

class ScaleSpec extends t.message('autoscaling/v1.ScaleSpec', { replicas: t.int32(1) }) {}
class ScaleStatus extends t.message('autoscaling/v1.ScaleStatus', { replicas: t.int32(1).required(), selector: t.string(2) }) {}

/** The desired and current number of replicas of a workload of any kind. */
class ScaleBody extends t.message('autoscaling/v1.Scale', { spec: t.one(2, ScaleSpec), status: t.one(3, ScaleStatus) }) {}
export type Scale = KindObject<ScaleBody>;

/** The `scale` subresource of a kind. `missing`: what a read names as missing, where that is not the object itself. */
export const scalePart = (missing?: Subresource['missing']): Subresource => ({
  verbs: ['get', 'patch', 'update'],
  carries: { group: 'autoscaling', version: 'v1', kind: 'Scale', schema: ScaleBody },
  action: 'scale',
  ...(missing === undefined ? {} : { missing }),
});

/** The common fields of scalable kinds. */
interface Scalable extends ApiObject {
  readonly spec: { readonly replicas?: number; readonly selector?: LabelSelector | Readonly<Record<string, string>> | null };
  readonly status: { readonly replicas?: number };
}

/**
 * The scale of an object, in normal form. `scaling`: the paths of the replicas, for kinds with paths of their own; `unsaid` then decides about absent
 * replicas. Throws `InternalError` where the value at a path has another type, or is absent and required.
 */
export function scaleOf(object: ApiObject, scaling?: Scaling, unsaid: Unsaid = 'none'): Scale {
  if (scaling !== undefined) {
    const { replicas = UNSAID[unsaid](scaling), ...numbers } = scaling.read(object);
    return scaleWith(object, { ...numbers, replicas });
  }
  const { spec, status } = object as Scalable;
  return scaleWith(object, { replicas: spec.replicas ?? 0, statusReplicas: status.replicas ?? 0, selector: textOf(spec.selector ?? {}) });
}

/**
 * What the scale has where the object does not set its replicas. `none`: 0. `marked`: a number by which a write can detect that none was set.
 * `refused`: such an object has no scale.
 */
export type Unsaid = 'none' | 'marked' | 'refused';

/** Marks replicas that neither the object nor the change sets. */
export const NEVER_SAID = -(2 ** 31);

const UNSAID: Readonly<Record<Unsaid, (scaling: Scaling) => number>> = {
  none: () => 0,
  marked: () => NEVER_SAID,
  refused: ({ path }) => {
    throw internalError(`the spec replicas field ${goQuoted(path)} does not exist`);
  },
};

/** Desired and current replicas, and the selector as text. */
interface ScaleNumbers {
  readonly replicas: number;
  readonly statusReplicas: number;
  readonly selector: string;
}

/** The scale of an object with these numbers. */
function scaleWith({ metadata }: ApiObject, { replicas, statusReplicas, selector }: ScaleNumbers): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: given({ name, namespace, uid, resourceVersion, creationTimestamp }),
    spec: given({ replicas: replicas === 0 ? undefined : replicas }),
    status: { replicas: statusReplicas, ...(selector === '' ? {} : { selector }) },
  };
}

const given = <T extends object>(members: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as { [K in keyof T]: Exclude<T[K], undefined> };

/** The selector as text; older kinds have a map of labels. */
function textOf(selector: LabelSelector | Readonly<Record<string, string>>): string {
  const isLabels = Object.values(selector).every((value) => typeof value === 'string');
  if (isLabels) return Object.keys(selector).length === 0 ? '' : formatSelectorMessage({ matchLabels: { ...(selector as Record<string, string>) } });
  return formatSelectorMessage(selector);
}

/** Validates a scale without its object. Its metadata must have the namespace, which the path supplies only for the object. Skips managed fields. */
export function validateScale({ metadata: { managedFields: _owners, ...metadata }, spec }: Scale, at: FieldErrors): void {
  validateObjectMeta(metadata, { scope: 'Namespaced', nameForm: 'dns-subdomain' }, at.child('metadata'));
  requireNotNegative(spec.replicas, at.child('spec', 'replicas'));
}
