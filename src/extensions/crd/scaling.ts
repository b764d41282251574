import type { ApiObject, Scaling } from '#api';
import { isJsonObject, memberOf, setMember, type JsonObject } from '#base';
import { internalError, type FieldErrors } from '#errors';
import type { DefinitionVersion } from './definition.ts';

export type ScalePaths = NonNullable<NonNullable<DefinitionVersion['subresources']>['scale']>;

const MAX_REPLICAS = 2 ** 31 - 1;

const namesOf = (path: string): readonly string[] => path.slice(1).split('.');

function valueAt(object: ApiObject, path: string): unknown {
  return namesOf(path).reduce<unknown>((value, name) => (isJsonObject(value) ? memberOf(value, name) : undefined), object);
}

/** Reads and writes replicas where a definition says they stand. @spec 4.2 */
export function createScaling({ specReplicasPath, statusReplicasPath, labelSelectorPath }: ScalePaths): Scaling {
  return {
    read(object) {
      const replicas = valueAt(object, specReplicasPath);
      if (replicas === undefined) throw internalError(`the spec replicas field ${JSON.stringify(specReplicasPath)} does not exist`);
      const statusReplicas = valueAt(object, statusReplicasPath);
      const selector = labelSelectorPath ? valueAt(object, labelSelectorPath) : '';
      return { replicas: wholeNumber(replicas), statusReplicas: wholeNumber(statusReplicas ?? 0), selector: typeof selector === 'string' ? selector : '' };
    },
    write(object, replicas) {
      const names = [...namesOf(specReplicasPath)];
      const last = names.pop() ?? '';
      const place = names.reduce<JsonObject>((value, name) => partOf(value, name, specReplicasPath), object as unknown as JsonObject);
      setMember(place, last, replicas);
    },
  };
}

const wholeNumber = (value: unknown): number => (typeof value === 'number' ? Math.trunc(value) : 0);

function partOf(value: JsonObject, name: string, path: string): JsonObject {
  const part = memberOf(value, name);
  if (isJsonObject(part)) return part;
  if (part !== undefined) throw internalError(`${name} in ${path} is no object`);
  const made: JsonObject = {};
  setMember(value, name, made);
  return made;
}

/** Replicas are whole numbers, whatever the schema says of them. */
export function validateScaling({ specReplicasPath, statusReplicasPath }: ScalePaths, object: ApiObject, at: FieldErrors): void {
  for (const path of [specReplicasPath, statusReplicasPath]) {
    const value = valueAt(object, path);
    if (typeof value !== 'number') continue;
    const place = at.child(path);
    if (value < 0) place.invalid(value, 'should be a non-negative integer');
    else if (value > MAX_REPLICAS) place.invalid(value, `should be less than or equal to ${MAX_REPLICAS}`);
  }
}
