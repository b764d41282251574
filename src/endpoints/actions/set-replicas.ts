import { apply, resetFieldsOf } from '#apply';
import { objectTypeOf, type ApiObject } from '#api';
import type { Scale } from '#kinds';
import type { WriteOptions } from '../options.ts';
import { formsOf } from '../version-forms.ts';
import type { VerbContext } from '../verb-context.ts';
import { trackWrite } from '../write-plan.ts';

/** `live` with the replicas of a scale, and who owns them. What the scale insists on (version, uid) the write insists on. Changes `live`. */
export function setReplicas(context: VerbContext, options: WriteOptions, live: ApiObject, scale: Scale): ApiObject {
  const next = { ...live, spec: { ...specOf(live), replicas: scale.spec.replicas ?? 0 } };
  return insisting(timeless(trackWrite(context, options, next, live)), scale);
}

/** The same by server-side apply. Throws `Conflict` where somebody else owns the replicas and the request does not force. */
export function applyReplicas(context: VerbContext, options: WriteOptions, live: ApiObject, scale: Scale): ApiObject {
  const { route, env } = context;
  const { replicas } = scale.spec;
  const { name, namespace } = live.metadata;
  const { object } = apply({
    type: objectTypeOf(route.resource.storage.schema),
    live,
    config: { apiVersion: route.served.apiVersion, kind: route.resource.kind.kind, metadata: { name, namespace }, spec: replicas === undefined ? {} : { replicas } },
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

const specOf = (object: ApiObject): object => ('spec' in object && typeof object.spec === 'object' && object.spec !== null ? object.spec : {});

function insisting(object: ApiObject, { metadata: { resourceVersion } }: Scale): ApiObject {
  const metadata = structuredClone(object.metadata);
  if (resourceVersion) metadata.resourceVersion = resourceVersion;
  else delete metadata.resourceVersion;
  return { ...object, metadata };
}

/** Ownership through this part of an object bears no time. */
function timeless(object: ApiObject): ApiObject {
  const metadata = structuredClone(object.metadata);
  for (const entry of metadata.managedFields ?? []) if (entry.subresource === 'scale') delete entry.time;
  return { ...object, metadata };
}
