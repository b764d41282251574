import type { ApiObject, KindDefinition } from '#api';
import { cloneJson, isDeepEqual } from '#base';
import { FieldErrors } from '#errors';
import { validateEmbedded } from '#kinds';
import { validateBySchema, validateListKeys } from '#schema';
import { completeObject } from './complete-object.ts';
import type { ObjectSchema } from './object-schema.ts';
import { validateScaling, type ScalePaths } from './scaling.ts';

type Rules = Required<Pick<KindDefinition, 'prepare' | 'validate'>>;

/** What is prepared and checked in objects of a version. @spec 4.2 */
export function createRules({ structural }: { readonly structural: () => ObjectSchema['structural'] }, hasStatus: boolean, scale: ScalePaths | undefined): Rules {
  return {
    prepare(next, live, { subresource }) {
      // A new object loses what others write, and has it by default then.
      if (live === undefined) {
        if (hasStatus) completeObject(structural(), next);
        return;
      }
      if (subresource === 'status') keepMetadata(next, live);
      if (hasChanged(next, live, hasStatus)) next.metadata.generation = Number(live.metadata.generation ?? 0) + 1;
    },
    validate(next, live, at, { subresource }) {
      const schema = structural();
      validateBySchema(schema.props, next, at);
      if (scale !== undefined) validateScaling(scale, next, subresource, at);
      // Those who report what they see are not stopped by what its items have in common.
      if (subresource === 'status') return;
      validateEmbedded(schema, next, false, at);
      // What was wrong before the schema changed may stay wrong.
      if (live === undefined || isListed(schema, live)) validateListKeys(schema, next, at);
    },
  };
}

function isListed(schema: ObjectSchema['structural'], live: ApiObject): boolean {
  const found = new FieldErrors();
  validateListKeys(schema, live, found);
  return found.isEmpty;
}

/** A write of the status leaves everything else alone; who owns what is told by the write itself. */
function keepMetadata(next: ApiObject, live: ApiObject): void {
  const { managedFields } = next.metadata;
  next.metadata = cloneJson(live.metadata);
  if (managedFields === undefined) delete next.metadata.managedFields;
  else next.metadata.managedFields = managedFields;
}

/** Everything beside metadata counts, and the status where it is not a part of its own. */
function hasChanged(next: ApiObject, live: ApiObject, hasStatus: boolean): boolean {
  const names = new Set([...Object.keys(next), ...Object.keys(live)]);
  names.delete('metadata');
  if (hasStatus) names.delete('status');
  return [...names].some((name) => !isDeepEqual(memberOf(next, name), memberOf(live, name)));
}

const memberOf = (object: ApiObject, name: string): unknown => (Object.hasOwn(object, name) ? (object as unknown as Record<string, unknown>)[name] : undefined);
