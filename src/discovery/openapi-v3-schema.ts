import { isJsonObject } from '#base';
import { withInner } from './inner-schemas.ts';
import { REFERENCE } from './openapi-references.ts';

const COMPONENT = '#/components/schemas/';

/** Types that v2 can describe only by their usual JSON type. */
const FORMS: ReadonlyMap<string, readonly string[]> = new Map([
  ['io.k8s.apimachinery.pkg.api.resource.Quantity', ['string', 'number']],
  ['io.k8s.apimachinery.pkg.util.intstr.IntOrString', ['integer', 'string']],
]);

/** Converts a v2 definition to a v3 component. */
export function componentOf(name: string, definition: unknown): unknown {
  const schema = schemaV3(definition);
  const forms = FORMS.get(name);
  if (forms === undefined || !isJsonObject(schema)) return schema;
  const { type: _type, ...rest } = schema;
  return { ...rest, oneOf: forms.map((type) => ({ type })) };
}

/** Converts a v2 schema to v3. Keywords beside a reference would be ignored in v3, so the reference moves into `allOf`. */
export function schemaV3(schema: unknown): unknown {
  if (!isJsonObject(schema)) return schema;
  const { $ref, ...members } = schema;
  const own = withInner(members, schemaV3);
  if (typeof $ref !== 'string') return own;
  const reference = { $ref: $ref.startsWith(REFERENCE) ? `${COMPONENT}${$ref.slice(REFERENCE.length)}` : $ref };
  return Object.keys(own).length === 0 ? reference : { ...own, allOf: [reference] };
}
