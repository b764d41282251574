import { isJsonObject } from '#base';
import { withInner } from './inner-schemas.ts';
import { REFERENCE } from './openapi-references.ts';

const COMPONENT = '#/components/schemas/';

/** Schemas of which version 2 can only say the form that is usual. */
const FORMS: ReadonlyMap<string, readonly string[]> = new Map([
  ['io.k8s.apimachinery.pkg.api.resource.Quantity', ['string', 'number']],
  ['io.k8s.apimachinery.pkg.util.intstr.IntOrString', ['integer', 'string']],
]);

/** A definition of version 2 as version 3 writes it. */
export function componentOf(name: string, definition: unknown): unknown {
  const schema = schemaV3(definition);
  const forms = FORMS.get(name);
  if (forms === undefined || !isJsonObject(schema)) return schema;
  const { type: _type, ...rest } = schema;
  return { ...rest, oneOf: forms.map((type) => ({ type })) };
}

/** A schema of version 2 as version 3 writes it: what stands beside a reference would be passed over there, so that the reference becomes a part. */
export function schemaV3(schema: unknown): unknown {
  if (!isJsonObject(schema)) return schema;
  const { $ref, ...members } = schema;
  const own = withInner(members, schemaV3);
  if (typeof $ref !== 'string') return own;
  const reference = { $ref: $ref.startsWith(REFERENCE) ? `${COMPONENT}${$ref.slice(REFERENCE.length)}` : $ref };
  return Object.keys(own).length === 0 ? reference : { ...own, allOf: [reference] };
}
