import type { ApiObject, Scaling } from '#api';
import { isJsonObject, memberOf, setMember, type JsonObject } from '#base';
import { goPlain, goTypeOf, withoutReason, type FieldErrors } from '#errors';
import type { DefinitionVersion } from './definition.ts';

export type ScalePaths = NonNullable<NonNullable<DefinitionVersion['subresources']>['scale']>;

const MAX_REPLICAS = 2 ** 31 - 1;

const namesOf = (path: string): readonly string[] => path.slice(1).split('.');

/** A value in an object, or why there is none of its type. */
type Found = { readonly value?: unknown; readonly fault?: undefined } | { readonly fault: string };

const TYPES: Readonly<Record<'int64' | 'string', (value: unknown) => boolean>> = {
  int64: (value) => Number.isInteger(value) || typeof value === 'bigint',
  string: (value) => typeof value === 'string',
};

function find(object: ApiObject, path: string, type: keyof typeof TYPES): Found {
  const names = namesOf(path);
  const misfit = (depth: number, value: unknown, wanted: string): Found => ({
    fault: `.${names.slice(0, depth).join('.')} accessor error: ${goPlain(value)} is of the type ${goTypeOf(value)}, expected ${wanted}`,
  });
  let value: unknown = object;
  for (const [position, name] of names.entries()) {
    if (value === null) return {};
    if (!isJsonObject(value)) return misfit(position + 1, value, 'map[string]interface{}');
    value = memberOf(value, name);
    if (value === undefined) return {};
  }
  return TYPES[type](value) ? { value } : misfit(names.length, value, type);
}

/** As in 1.23 a number of an object that is older than its scale loses the bits that have no room. */
const low32 = (replicas: number | bigint): number => Number(BigInt.asIntN(32, BigInt(replicas)));

/** Access to the replicas at the paths that a definition declares. @spec 4.2 */
export function createScaling({ specReplicasPath, statusReplicasPath, labelSelectorPath }: ScalePaths): Scaling {
  const read = (object: ApiObject, path: string, type: keyof typeof TYPES): unknown => {
    const found = find(object, path, type);
    if (found.fault !== undefined) throw withoutReason(found.fault);
    return found.value;
  };
  return {
    path: specReplicasPath,
    read(object) {
      const replicas = read(object, specReplicasPath, 'int64') as number | bigint | undefined;
      const statusReplicas = read(object, statusReplicasPath, 'int64') as number | bigint | undefined;
      const selector = labelSelectorPath ? read(object, labelSelectorPath, 'string') : undefined;
      return { replicas: replicas === undefined ? undefined : low32(replicas), statusReplicas: low32(statusReplicas ?? 0), selector: (selector ?? '') as string };
    },
    write(object, replicas) {
      const names = [...namesOf(specReplicasPath)];
      const last = names.pop() ?? '';
      const place = names.reduce<JsonObject>((value, name) => partOf(value, name, specReplicasPath), object as unknown as JsonObject);
      setMember(place, last, replicas);
    },
  };
}

function partOf(value: JsonObject, name: string, path: string): JsonObject {
  const part = memberOf(value, name);
  if (isJsonObject(part)) return part;
  if (part !== undefined) throw withoutReason(`${name} in ${path} is no object, so that no replicas can be set there`);
  const made: JsonObject = {};
  setMember(value, name, made);
  return made;
}

/** Checks that replicas are integers and selectors strings, whatever the schema allows. A status write is checked for the status alone. */
export function validateScaling({ specReplicasPath, statusReplicasPath, labelSelectorPath }: ScalePaths, object: ApiObject, subresource: string, at: FieldErrors): void {
  if (subresource !== 'status') validateReplicas(object, specReplicasPath, at.child(specReplicasPath));
  validateReplicas(object, statusReplicasPath, at.child(statusReplicasPath));
  const { fault } = labelSelectorPath ? find(object, labelSelectorPath, 'string') : {};
  if (fault !== undefined) at.child(labelSelectorPath ?? '').invalid('', fault);
}

function validateReplicas(object: ApiObject, path: string, at: FieldErrors): void {
  const found = find(object, path, 'int64');
  if (found.fault !== undefined) {
    at.invalid(0, found.fault);
    return;
  }
  const value = found.value as number | bigint | undefined;
  if (value === undefined) return;
  if (value < 0) at.invalid(value, 'should be a non-negative integer');
  else if (value > MAX_REPLICAS) at.invalid(value, `should be less than or equal to ${MAX_REPLICAS}`);
}
