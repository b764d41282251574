import { apply, resetFieldsOf } from '#apply';
import { objectTypeOf, type ApiObject, type Scaling } from '#api';
import { cloneJson } from '#base';
import type { Scale } from '#kinds';
import type { WriteOptions } from '../options.ts';
import { formsOf } from '../version-forms.ts';
import type { VerbContext } from '../verb-context.ts';
import { trackWrite } from '../write-plan.ts';

/** `live` with the replicas of a scale, and who owns them. What the scale insists on (version, uid) the write insists on. Changes `live`. */
export function setReplicas(context: VerbContext, options: WriteOptions, live: ApiObject, scale: Scale): ApiObject {
  const { scaling } = context.route.declared ?? {};
  if (scaling !== undefined) return setReplicasAt(scaling, context, options, live, scale);
  const next = { ...live, spec: { ...specOf(live), replicas: scale.spec.replicas ?? 0 } };
  return insisting(timeless(trackWrite(context, options, next, live)), scale);
}

/** Replicas at a place of the kind's own choice. Whoever owned them does no longer, and nobody else does. */
function setReplicasAt(scaling: Scaling, context: VerbContext, options: WriteOptions, live: ApiObject, scale: Scale): ApiObject {
  const next = cloneJson(live);
  scaling.write(next, scale.spec.replicas ?? 0);
  const tracked = trackWrite(context, options, next, live);
  const managedFields = (tracked.metadata.managedFields ?? []).filter(({ subresource }) => subresource !== 'scale');
  const { resourceVersion } = scale.metadata;
  // Such kinds want every update to name a version; a scale without one means the one it was read from.
  const version = resourceVersion || live.metadata.resourceVersion;
  return { ...tracked, metadata: { ...tracked.metadata, managedFields, ...(version === undefined ? {} : { resourceVersion: version }) } };
}

/** The same by server-side apply. Throws `Conflict` where somebody else owns the replicas and the request does not force. */
export function applyReplicas(context: VerbContext, options: WriteOptions, live: ApiObject, scale: Scale): ApiObject {
  const { route, env } = context;
  const { replicas } = scale.spec;
  const { name, namespace } = live.metadata;
  const { object } = apply({
    type: objectTypeOf(route.resource.storage.schema),
    live,
    config: configOf(context, { apiVersion: route.served.apiVersion, kind: route.resource.kind.kind, metadata: { name, namespace } }, replicas),
    manager: options.fieldManager,
    isForced: options.force ?? false,
    apiVersion: route.served.apiVersion,
    kind: route.resource.kind.kind,
    subresource: route.subresource,
    nowMs: env.clock.nowMs(),
    defaults: () => {},
    resetFields: resetFieldsOf(route.resource.kind, route.subresource),
    ...formsOf(route.resource),
  });
  return insisting(timeless(object as unknown as ApiObject), scale);
}

function configOf({ route }: VerbContext, head: object, replicas: number | undefined): object {
  const { scaling } = route.declared ?? {};
  if (scaling === undefined) return { ...head, spec: replicas === undefined ? {} : { replicas } };
  const config = { ...head } as ApiObject;
  if (replicas !== undefined) scaling.write(config, replicas);
  return config;
}

const specOf = (object: ApiObject): object => ('spec' in object && typeof object.spec === 'object' && object.spec !== null ? object.spec : {});

function insisting(object: ApiObject, { metadata: { resourceVersion } }: Scale): ApiObject {
  const metadata = cloneJson(object.metadata);
  if (resourceVersion) metadata.resourceVersion = resourceVersion;
  else delete metadata.resourceVersion;
  return { ...object, metadata };
}

/** Ownership through this part of an object bears no time. */
function timeless(object: ApiObject): ApiObject {
  const metadata = cloneJson(object.metadata);
  for (const entry of metadata.managedFields ?? []) if (entry.subresource === 'scale') delete entry.time;
  return { ...object, metadata };
}
