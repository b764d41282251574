import { cloneJson, type JsonObject } from '#base';
import { ApiError, internalError } from '#errors';
import { applyDefaults, decode } from '#schema';
import {
  fillDefaults,
  objectTypeOf,
  toServedVersion,
  toStorageVersion,
  type ApiObject,
  type Brand,
  type Carried,
  type Resource,
  type Scaling,
  type ServedVersion,
  type Subresource,
} from '#api';
import { scaleOf } from '#kinds';

/** The kind of an object in one of its versions, spelled as on the wire. */
export interface Gvk {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface Gvr {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** The form in which a webhook receives the objects of a request: as which resource, in which version (see `matchPolicy: Equivalent`). */
export interface Form {
  readonly resource: Resource;
  readonly served: ServedVersion;
  /** The resource of the request: each version of a custom resource is a resource of its own. */
  readonly origin: Resource;
  readonly gvr: Gvr;
  readonly gvk: Gvk;
  /** The object that the subresource carries, where that is not the main object. */
  readonly carried: Carried | undefined;
  /** The path of the replicas in the request's objects, where their kind declares one. */
  readonly scaling: Scaling | undefined;
}

/** The form of a request to `origin` for a webhook whose rule matches `resource` in the version `served`. */
export function formOf(resource: Resource, served: ServedVersion, subresource: string, brand: Brand, origin = resource): Form {
  const carried = partOf(resource, subresource)?.carries;
  return {
    resource,
    served,
    origin,
    carried,
    scaling: partOf(origin, subresource)?.scaling,
    gvr: { group: resource.group, version: served.version, resource: resource.plural },
    gvk:
      carried === undefined
        ? { group: resource.group, version: served.version, kind: resource.kind.kind }
        : { group: brand.group(carried.group), version: carried.version, kind: carried.kind },
  };
}

/** The declaration of a subresource; undefined for the main resource. */
export function partOf({ kind: { subresources } }: Resource, subresource: string): Subresource | undefined {
  return subresources !== undefined && Object.hasOwn(subresources, subresource) ? subresources[subresource] : undefined;
}

/**
 * A stored object → the form that the webhook receives. The result may share parts with `object` and must not be changed. Throws `InternalError`
 * where a custom resource cannot be converted.
 */
export function toWebhookForm(object: ApiObject, { carried, scaling, served, origin, resource }: Form): ApiObject | Promise<ApiObject> {
  if (isScaleOf(object, carried)) return scaleOf(object, scaling);
  if (carried !== undefined) return withoutEmptyMetadata(object);
  if (origin.kind.isCustom === true) return convertCustom(object, origin, resource).catch(failedToShow);
  return served.down === undefined ? { ...object, apiVersion: served.apiVersion } : toServedVersion(served, cloneJson(object));
}

/** kube-apiserver calls it an internal error where an object cannot be shown, and leaves a conversion that fails elsewhere without a reason. */
function failedToShow(cause: unknown): never {
  throw cause instanceof ApiError && cause.reason === '' ? internalError(cause.message, cause.cause) : cause;
}

/** Options of a CONNECT request have no metadata. */
function withoutEmptyMetadata(object: ApiObject): ApiObject {
  if (Object.keys(object.metadata).length > 0) return object;
  const { metadata: _, ...rest } = object;
  return rest as ApiObject;
}

/** Whether webhooks receive a Scale of the object: the server writes `…/scale` as a change of the object that has the replicas. */
export const isScaleOf = (object: ApiObject, carried: Carried | undefined): boolean => carried?.kind === 'Scale' && object.kind !== 'Scale';

/** An object that a webhook changed, in normal form. Throws `DecodeFailure`. */
export function readChanged(changed: JsonObject, { carried, served }: Form): ApiObject {
  const schema = carried === undefined ? served.schema : carried.schema;
  return schema === undefined ? (changed as unknown as ApiObject) : (decode(objectTypeOf(schema), changed) as unknown as ApiObject);
}

/**
 * An object that a webhook changed → the storage version, with defaults set. `before`: the object of the request, of which the webhook received the
 * form. Throws `ApiError` where a custom resource cannot be converted.
 */
export function fromWebhookForm(changed: ApiObject, before: ApiObject, form: Form, brand: Brand): ApiObject | Promise<ApiObject> {
  const { resource, carried, served, origin } = form;
  if (isScaleOf(before, carried)) return withReplicas(before, changed, form);
  if (carried !== undefined) {
    if (carried.schema !== undefined) applyDefaults(objectTypeOf(carried.schema), changed);
    return changed;
  }
  fillDefaults(changed, served.schema, resource.kind, brand);
  if (origin.kind.isCustom === true) return convertCustom(changed, resource, origin);
  return toStorageVersion(served, resource.storage.apiVersion, changed);
}

interface Scaled {
  readonly spec?: { readonly replicas?: number } | null;
}

/** Takes over the replicas of a changed scale, and nothing else. */
function withReplicas(object: ApiObject, scale: ApiObject, { scaling }: Form): ApiObject {
  const replicas = (scale as Scaled).spec?.replicas ?? 0;
  if (scaling === undefined) return { ...object, spec: { ...(object as Scaled).spec, replicas } } as unknown as ApiObject;
  const next = cloneJson(object);
  scaling.write(next, replicas);
  return next;
}

/** Converts between two versions of a custom resource: at least one of them is not the stored version, and its kind converts from and to that. */
async function convertCustom(object: ApiObject, from: Resource, to: Resource): Promise<ApiObject> {
  if (object.apiVersion === to.storage.apiVersion) return object;
  const { storedForms } = to.kind;
  if (storedForms === undefined) return from.kind.storedForms?.save(object) ?? object;
  const [converted = object] = await storedForms.load([object]);
  return converted;
}
