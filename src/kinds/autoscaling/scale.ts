import { formatSelectorMessage, validateObjectMeta, type ApiObject, type KindObject, type LabelSelector, type Scaling, type Subresource } from '#api';
import { internalError, type FieldErrors } from '#errors';
import { t } from '#schema';
import { requireNotNegative } from '../core/pod/value-checks.ts';

class ScaleSpec extends t.message('autoscaling/v1.ScaleSpec', { replicas: t.int32(1) }) {}
class ScaleStatus extends t.message('autoscaling/v1.ScaleStatus', { replicas: t.int32(1).required(), selector: t.string(2) }) {}

/** How many replicas a workload has and should have, whatever its kind. */
class ScaleBody extends t.message('autoscaling/v1.Scale', { spec: t.one(2, ScaleSpec), status: t.one(3, ScaleStatus) }) {}
export type Scale = KindObject<ScaleBody>;

/** The `scale` part of a kind. `missing`: what a read says is not there, where it is not the object. */
export const scalePart = (missing?: Subresource['missing']): Subresource => ({
  verbs: ['get', 'patch', 'update'],
  carries: { group: 'autoscaling', version: 'v1', kind: 'Scale', schema: ScaleBody },
  action: 'scale',
  ...(missing === undefined ? {} : { missing }),
});

/** What all kinds that can be scaled have in common. */
interface Scalable extends ApiObject {
  readonly spec: { readonly replicas?: number; readonly selector?: LabelSelector | Readonly<Record<string, string>> | null };
  readonly status: { readonly replicas?: number };
}

/**
 * An object as its `scale` part shows it, in normal form. `scaling`: where the replicas stand, for kinds with places of their own; there
 * `unsaid` is what becomes of replicas that the object does not say. Throws `InternalError` where it says something else, or they must be said.
 */
export function scaleOf(object: ApiObject, scaling?: Scaling, unsaid: Unsaid = 'none'): Scale {
  if (scaling !== undefined) {
    const { replicas = UNSAID[unsaid](scaling), ...numbers } = scaling.read(object);
    return scaleWith(object, { ...numbers, replicas });
  }
  const { spec, status } = object as Scalable;
  return scaleWith(object, { replicas: spec.replicas ?? 0, statusReplicas: status.replicas ?? 0, selector: textOf(spec.selector ?? {}) });
}

/** `none`: there are none. `marked`: whoever changes the scale can tell that nobody said. `refused`: such an object has no scale. */
export type Unsaid = 'none' | 'marked' | 'refused';

/** Stands for replicas that no object has said and no change says. */
export const NEVER_SAID = -(2 ** 31);

const UNSAID: Readonly<Record<Unsaid, (scaling: Scaling) => number>> = {
  none: () => 0,
  marked: () => NEVER_SAID,
  refused: ({ path }) => {
    throw internalError(`the spec replicas field ${JSON.stringify(path)} does not exist`);
  },
};

/** How many there are and should be, and how they are told apart. */
interface ScaleNumbers {
  readonly replicas: number;
  readonly statusReplicas: number;
  readonly selector: string;
}

/** The `scale` part of an object with these numbers. */
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

/** Older kinds select by labels alone. */
function textOf(selector: LabelSelector | Readonly<Record<string, string>>): string {
  const isLabels = Object.values(selector).every((value) => typeof value === 'string');
  if (isLabels) return Object.keys(selector).length === 0 ? '' : formatSelectorMessage({ matchLabels: { ...(selector as Record<string, string>) } });
  return formatSelectorMessage(selector);
}

/** The rules of a scale alone, metadata included: it must say its namespace, which the path says only of the object. Who owns what is not looked at. */
export function validateScale({ metadata: { managedFields: _owners, ...metadata }, spec }: Scale, at: FieldErrors): void {
  validateObjectMeta(metadata, { scope: 'Namespaced', nameForm: 'dns-subdomain' }, at.child('metadata'));
  requireNotNegative(spec.replicas, at.child('spec', 'replicas'));
}
