import { applyDefaults, type MessageClass } from '#schema';
import type { Brand } from './brand.ts';
import type { KindDefinition } from './kind.ts';
import type { ApiObject } from './object.ts';
import { objectTypeOf } from './object-type.ts';

/** Sets all defaults of an object of a kind: those of the schema of its version, and those that depend on how names are spelled. Changes `object`. */
export function fillDefaults(object: ApiObject, schema: MessageClass<unknown>, kind: Pick<KindDefinition, 'complete'>, brand: Brand): void {
  applyDefaults(objectTypeOf(schema), object);
  kind.complete?.(object, brand);
}
