import { apply, ownersBut, ownersOfScale, ownersOfScaled, track } from '#apply';
import { objectTypeOf, type ApiObject, type Scaling } from '#api';
import { cloneJson } from '#base';
import { badRequest, invalid } from '#errors';
import { NEVER_SAID, type Scale } from '#kinds';
import { applyDefaults, decode, DecodeFailure, type MessageType } from '#schema';
import type { WriteOptions } from '../options.ts';
import { formsOf } from '../version-forms.ts';
import type { VerbContext } from '../verb-context.ts';
import { managerOf } from '../track-write.ts';

/** The type of a scale, and the scale of the live object. */
export interface ShownScale {
  readonly type: MessageType;
  readonly live: Scale;
}

/** A copy of `live` with the replicas of a scale, and with their field managers. A resourceVersion in the scale is a precondition of the write. */
export function setReplicas(context: VerbContext, options: WriteOptions, live: ApiObject, scale: Scale, show: () => ShownScale): ApiObject | Promise<ApiObject> {
  const { route, env } = context;
  const { scaling } = route.declared ?? {};
  if (scaling !== undefined) return setReplicasAt(scaling, context, live, scale);
  const shown = show();
  const written = track({
    type: shown.type,
    live: owned(shown.live, live),
    next: scale,
    manager: managerOf(context, options),
    apiVersion: shown.live.apiVersion,
    subresource: route.subresource,
    nowMs: env.clock.nowMs(),
  });
  return scaledBy(context, live, written);
}

/** Server-side apply of a configuration to the scale. Throws what an apply throws: other managers may own the replicas. */
export function applyReplicas(context: VerbContext, options: WriteOptions, live: ApiObject, config: unknown, shown: ShownScale): Scale {
  const { route, env } = context;
  const { object } = apply({
    type: shown.type,
    live: owned(shown.live, live),
    config,
    manager: options.fieldManager,
    isForced: options.force ?? false,
    apiVersion: shown.live.apiVersion,
    kind: shown.live.kind,
    subresource: route.subresource,
    nowMs: env.clock.nowMs(),
    defaults: () => {},
  });
  return object as unknown as Scale;
}

/** The scale with the managed fields of its replicas. */
function owned(scale: Scale, { metadata: { managedFields } }: ApiObject): Scale {
  const owners = ownersOfScale(managedFields, scale.apiVersion);
  return owners === undefined ? scale : { ...scale, metadata: { ...scale.metadata, managedFields: owners as never } };
}

/** The object with the replicas, managed fields and resourceVersion of its written scale. */
export function scaledBy(context: VerbContext, live: ApiObject, scale: Scale): ApiObject {
  const { resource, served } = context.route;
  const { resourceVersion, managedFields: owners } = scale.metadata;
  const { managedFields, resourceVersion: _version, ...kept } = cloneJson(live.metadata);
  const forms = formsOf(resource);
  const next = ownersOfScaled({ managedFields, apiVersion: served.apiVersion, isServed: (version) => forms(version) !== undefined }, owners);
  const metadata = { ...kept, ...(next === undefined ? {} : { managedFields: next as never }), ...(resourceVersion ? { resourceVersion } : {}) };
  return { ...live, metadata, spec: { ...specOf(live), replicas: scale.spec.replicas ?? 0 } } as ApiObject;
}

/**
 * Sets replicas at the path that the kind declares. All managers lose the field, each at the path of its own version, and no manager gains it, even where
 * the value is unchanged.
 */
function setReplicasAt(scaling: Scaling, context: VerbContext, live: ApiObject, scale: Scale): ApiObject {
  if (scale.spec.replicas === NEVER_SAID) throw badRequest(`the spec replicas field ${JSON.stringify(scaling.path)} cannot be empty`);
  const written = cloneJson(live);
  scaling.write(written, scale.spec.replicas ?? 0);
  const { kind, storage } = context.route.resource;
  // The schema may not have that path, or may have defaults for the objects around it. Those of another version than the stored one are not stored.
  const type = objectTypeOf(storage.schema);
  const next = pruned(context, type, written);
  if (kind.knownStorage === kind.storage) applyDefaults(type, next);
  const { managedFields, ...metadata } = next.metadata;
  const versions = kind.otherVersions;
  const owners = ownersBut((version) => versions?.scalePathOf(version)?.split('.').slice(1), { managedFields, isServed: (version) => versions?.typeOf(version) !== undefined });
  const { resourceVersion } = scale.metadata;
  // Updates of such kinds require a resourceVersion; a scale without one gets that of the object it was read from.
  const version = resourceVersion || live.metadata.resourceVersion;
  const owned = owners === undefined ? metadata : { ...metadata, managedFields: owners as never };
  return { ...next, metadata: { ...owned, ...(version === undefined ? {} : { resourceVersion: version }) } };
}

/** Throws `Invalid` where the object was stored before its schema wanted an object of the API in it, and is none there. */
function pruned({ route: { resource, key } }: VerbContext, type: MessageType, object: ApiObject): ApiObject {
  try {
    return decode(type, object) as unknown as ApiObject;
  } catch (cause) {
    if (!(cause instanceof DecodeFailure)) throw cause;
    const { path: field, wireCause: message } = cause;
    throw invalid({ group: resource.group, kind: resource.kind.kind }, key.name, [{ reason: 'FieldValueInvalid', message, field }]);
  }
}

const specOf = (object: ApiObject): object => ('spec' in object && typeof object.spec === 'object' && object.spec !== null ? object.spec : {});
