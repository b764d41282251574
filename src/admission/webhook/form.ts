import { cloneJson, type JsonObject } from '#base';
import { applyDefaults, decode } from '#schema';
import { objectTypeOf, type ApiObject, type Brand, type Carried, type Resource, type Scaling, type ServedVersion, type Subresource } from '#api';
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

/** How a webhook sees the object of a request: through which resource, in which version. */
export interface Form {
  readonly resource: Resource;
  readonly served: ServedVersion;
  /** What the request is about: each version of a custom resource is a resource of its own. */
  readonly origin: Resource;
  readonly gvr: Gvr;
  readonly gvk: Gvk;
  /** What the subresource carries, where that is not the object. */
  readonly carried: Carried | undefined;
  /** Where the replicas of the request's objects stand, if they say so. */
  readonly scaling: Scaling | undefined;
}

/** How a webhook sees a request to `origin` that it is asked about through `resource`, in the version `served`. */
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

function partOf({ kind: { subresources } }: Resource, subresource: string): Subresource | undefined {
  return subresources !== undefined && Object.hasOwn(subresources, subresource) ? subresources[subresource] : undefined;
}

/**
 * The object as the webhook is shown it. The result may share parts with `object` and is not to be changed. Throws `InternalError` where a
 * custom resource cannot be converted.
 */
export function lower(object: ApiObject, { carried, scaling, served, origin, resource }: Form): ApiObject | Promise<ApiObject> {
  if (isScaleOf(object, carried)) return scaleOf(object, scaling);
  if (carried !== undefined) return withoutEmptyMetadata(object);
  if (origin.kind.isCustom === true) return convertCustom(object, origin, resource);
  if (served.down === undefined) return { ...object, apiVersion: served.apiVersion };
  const lowered = served.down(cloneJson(object));
  lowered.apiVersion = served.apiVersion;
  return lowered;
}

/** Options of a connection have no metadata. */
function withoutEmptyMetadata(object: ApiObject): ApiObject {
  if (Object.keys(object.metadata).length > 0) return object;
  const { metadata: _, ...rest } = object;
  return rest as ApiObject;
}

/** A server changes replicas in the object that has them; others see the scale. */
const isScaleOf = (object: ApiObject, carried: Carried | undefined): boolean => carried?.kind === 'Scale' && object.kind !== 'Scale';

/** What a webhook made of an object, in normal form. Throws `DecodeFailure`. */
export function readChanged(changed: JsonObject, { carried, served }: Form): ApiObject {
  const schema = carried === undefined ? served.schema : carried.schema;
  return schema === undefined ? (changed as unknown as ApiObject) : (decode(objectTypeOf(schema), changed) as unknown as ApiObject);
}

/**
 * The object to go on with, in the form that the request's objects have and with defaults set, after a webhook made `changed` of what it was
 * shown of `before`. Throws `InternalError` where a custom resource cannot be converted.
 */
export function raise(changed: ApiObject, before: ApiObject, form: Form, brand: Brand): ApiObject | Promise<ApiObject> {
  const { resource, carried, served, origin } = form;
  if (isScaleOf(before, carried)) return withReplicas(before, changed, form);
  const schema = carried === undefined ? served.schema : carried.schema;
  if (schema !== undefined) applyDefaults(objectTypeOf(schema), changed as unknown as Record<string, unknown>);
  if (carried !== undefined) return changed;
  if (origin.kind.isCustom === true) return convertCustom(changed, resource, origin);
  resource.kind.complete?.(changed, brand);
  const raised = served.up?.(changed) ?? changed;
  raised.apiVersion = resource.storage.apiVersion;
  return raised;
}

interface Scaled {
  readonly spec?: { readonly replicas?: number } | null;
}

/** Of a changed scale only the replicas count. */
function withReplicas(object: ApiObject, scale: ApiObject, { scaling }: Form): ApiObject {
  const replicas = (scale as Scaled).spec?.replicas ?? 0;
  if (scaling === undefined) return { ...object, spec: { ...(object as Scaled).spec, replicas } } as unknown as ApiObject;
  const next = cloneJson(object);
  scaling.write(next, replicas);
  return next;
}

/** From one version of a custom resource to another: one of the two is not the stored one, and knows both. */
async function convertCustom(object: ApiObject, from: Resource, to: Resource): Promise<ApiObject> {
  if (object.apiVersion === to.storage.apiVersion) return object;
  const { storedForms } = to.kind;
  if (storedForms === undefined) return from.kind.storedForms?.save(object) ?? object;
  const [converted = object] = await storedForms.load([object]);
  return converted;
}
