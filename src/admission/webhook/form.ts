import { cloneJson, type JsonObject } from '#base';
import { applyDefaults, decode } from '#schema';
import { objectTypeOf, type ApiObject, type Brand, type Carried, type Resource, type ServedVersion } from '#api';
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
  readonly gvr: Gvr;
  readonly gvk: Gvk;
  /** What the subresource carries, where that is not the object. */
  readonly carried: Carried | undefined;
}

export function formOf(resource: Resource, served: ServedVersion, subresource: string, brand: Brand): Form {
  const { subresources } = resource.kind;
  const declared = subresources !== undefined && Object.hasOwn(subresources, subresource) ? subresources[subresource] : undefined;
  const carried = declared?.carries;
  return {
    resource,
    served,
    carried,
    gvr: { group: resource.group, version: served.version, resource: resource.plural },
    gvk:
      carried === undefined
        ? { group: resource.group, version: served.version, kind: resource.kind.kind }
        : { group: brand.group(carried.group), version: carried.version, kind: carried.kind },
  };
}

/** The object as the webhook is shown it. The result may share parts with `object` and is not to be changed. */
export function lower(object: ApiObject, { carried, served }: Form): ApiObject {
  if (isScaleOf(object, carried)) return scaleOf(object);
  if (carried !== undefined) return withoutEmptyMetadata(object);
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
  return schema === undefined ? (changed as unknown as ApiObject) : (decode(objectTypeOf(schema), changed).value as unknown as ApiObject);
}

/** The object to go on with, in the storage version and with defaults set, after a webhook made `changed` of what it was shown of `before`. */
export function raise(changed: ApiObject, before: ApiObject, { resource, carried, served }: Form, brand: Brand): ApiObject {
  if (isScaleOf(before, carried)) return withReplicas(before, changed);
  if (carried !== undefined) return changed;
  applyDefaults(objectTypeOf(served.schema), changed as unknown as Record<string, unknown>);
  resource.kind.complete?.(changed, brand);
  const raised = served.up?.(changed) ?? changed;
  raised.apiVersion = resource.storage.apiVersion;
  return raised;
}

interface Scaled {
  readonly spec?: { readonly replicas?: number } | null;
}

/** Of a changed scale only the replicas count. */
const withReplicas = (object: ApiObject, scale: ApiObject): ApiObject =>
  ({ ...object, spec: { ...(object as Scaled).spec, replicas: (scale as Scaled).spec?.replicas ?? 0 } }) as unknown as ApiObject;
