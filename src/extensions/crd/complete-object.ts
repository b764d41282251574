import { normalizeEmbedded } from '#kinds';
import { fillDefaults, hasDefaults, partsOf, type Structural } from '#schema';

/** Applies the schema's defaults, and normalizes metadata of embedded objects where defaults may have added unknown fields. Changes `object`. */
export function completeObject(schema: Structural, object: unknown): void {
  fillDefaults(schema, object);
  if (declaresHeadDefaults(schema)) normalizeEmbedded(schema, object);
}

const known = new WeakMap<Structural, boolean>();

/** Whether there are defaults inside the metadata of objects inside an object. */
function declaresHeadDefaults(schema: Structural): boolean {
  let declares = known.get(schema);
  if (declares === undefined) {
    const metadata = schema.isEmbedded ? schema.properties.get('metadata') : undefined;
    declares = (metadata !== undefined && hasDefaults(metadata)) || partsOf(schema).some(declaresHeadDefaults);
    known.set(schema, declares);
  }
  return declares;
}
