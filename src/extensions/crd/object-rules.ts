import { nextGeneration, type ApiObject, type KindDefinition } from '#api';
import { cloneJson, isDeepEqual, memberIn } from '#base';
import { FieldErrors } from '#errors';
import { validateEmbedded } from '#kinds';
import { validateBySchema, validateListKeys } from '#schema';
import { completeObject } from './complete-object.ts';
import type { ObjectSchema } from './object-schema.ts';
import { validateScaling, type ScalePaths } from './scaling.ts';

type Rules = Required<Pick<KindDefinition, 'prepare' | 'validate'>>;

/** Preparation and validation of a version's objects. @spec 4.2 */
export function createRules({ structural }: { readonly structural: () => ObjectSchema['structural'] }, hasStatus: boolean, scale: ScalePaths | undefined): Rules {
  return {
    prepare(next, live, { subresource }) {
      // A new object loses its status, and then gets the schema's defaults.
      if (live === undefined) {
        if (hasStatus) completeObject(structural(), next);
        return;
      }
      if (subresource === 'status') keepMetadata(next, live);
      if (hasChanged(next, live, hasStatus)) next.metadata.generation = nextGeneration(live.metadata.generation);
    },
    validate(next, live, at, { subresource }) {
      const schema = structural();
      // A new object is judged without a status, not with the default of one.
      const judged = live === undefined && hasStatus ? withoutStatus(next) : next;
      validateBySchema(schema.props, judged, at);
      if (scale !== undefined) validateScaling(scale, judged, subresource, at);
      // Status writers are not rejected for duplicate items.
      if (subresource === 'status') return;
      validateEmbedded(schema, judged, false, at);
      // Objects that were invalid before the schema changed may stay so.
      if (live === undefined || isListed(schema, live)) validateListKeys(schema, judged, at);
    },
  };
}

function withoutStatus(object: ApiObject): ApiObject {
  const rest: ApiObject & { status?: unknown } = { ...object };
  delete rest.status;
  return rest;
}

function isListed(schema: ObjectSchema['structural'], live: ApiObject): boolean {
  const found = new FieldErrors();
  validateListKeys(schema, live, found);
  return found.isEmpty;
}

/** A status write keeps all metadata but managed fields. */
function keepMetadata(next: ApiObject, live: ApiObject): void {
  const { managedFields } = next.metadata;
  next.metadata = cloneJson(live.metadata);
  if (managedFields === undefined) delete next.metadata.managedFields;
  else next.metadata.managedFields = managedFields;
}

/** Whether anything but metadata has changed, and but the status where that is a subresource. */
function hasChanged(next: ApiObject, live: ApiObject, hasStatus: boolean): boolean {
  const names = new Set([...Object.keys(next), ...Object.keys(live)]);
  names.delete('metadata');
  if (hasStatus) names.delete('status');
  return [...names].some((name) => !isDeepEqual(memberIn(next, name), memberIn(live, name)));
}
