import type { ApiObject, KindDefinition } from '#api';
import type { KeepOf } from '#client';
import { Pod, Service } from '#kinds';

interface Kept {
  readonly kind: KindDefinition;
  keep(object: ApiObject): ApiObject;
}

const kept = <T extends ApiObject>(kind: KindDefinition<T>, keep: (object: T) => object): Kept => ({ kind, keep }) as unknown as Kept;

/** For numerous kinds, the fields that their controllers read. None of these writes such an object back. */
const KEPT: readonly Kept[] = [
  kept(Pod, ({ apiVersion, kind, metadata, spec: { nodeName, volumes } }) => {
    const claims = (volumes ?? []).filter(({ persistentVolumeClaim, ephemeral }) => persistentVolumeClaim !== undefined || ephemeral !== undefined);
    return { apiVersion, kind, metadata: placeAndEnd(metadata), spec: { ...(nodeName && { nodeName }), ...(claims.length > 0 && { volumes: claims }) } };
  }),
  kept(Service, ({ apiVersion, kind, metadata, spec: { selector } }) => ({ apiVersion, kind, metadata: placeAndEnd(metadata), spec: selector === undefined ? {} : { selector } })),
];

/** The transforms for `createControllerEnv`. */
export const keepOf: KeepOf = (kind) => KEPT.find((row) => row.kind === (kind as unknown))?.keep as never;

function placeAndEnd({ name, namespace, uid, resourceVersion, deletionTimestamp, deletionGracePeriodSeconds }: ApiObject['metadata']): ApiObject['metadata'] {
  const place: ApiObject['metadata'] = {};
  if (name !== undefined) place.name = name;
  if (namespace !== undefined) place.namespace = namespace;
  if (uid !== undefined) place.uid = uid;
  if (resourceVersion !== undefined) place.resourceVersion = resourceVersion;
  if (deletionTimestamp !== undefined) place.deletionTimestamp = deletionTimestamp;
  if (deletionGracePeriodSeconds !== undefined) place.deletionGracePeriodSeconds = deletionGracePeriodSeconds;
  return place;
}
