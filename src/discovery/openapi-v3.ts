import { addToList } from '#base';
import type { OpenapiV2 } from './openapi-v2.ts';
import { definitionsFor } from './openapi-references.ts';
import { componentOf, schemaV3 } from './openapi-v3-schema.ts';
import { METHODS, type Operation, type Parameter, type PathItem } from './operations.ts';

/** A v3 document: of one group and version, or of another path. */
export interface OpenapiV3 {
  readonly openapi: '3.0.0';
  readonly info: OpenapiV2['info'];
  readonly paths: Readonly<Record<string, object>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>>; readonly securitySchemes: OpenapiV2['securityDefinitions'] };
  readonly security: OpenapiV2['security'];
}

type Paths = readonly (readonly [path: string, item: PathItem])[];

/** Splits the paths by document name, as `apis/apps/v1`. */
export function splitPaths({ paths }: OpenapiV2): ReadonlyMap<string, Paths> {
  const found = new Map<string, Paths[number][]>();
  for (const entry of Object.entries(paths)) {
    addToList(found, documentOf(entry[0]), entry);
  }
  return found;
}

/** How many path segments name a document; for other paths all of them. */
const DEPTHS: Readonly<Partial<Record<string, number>>> = { api: 2, apis: 3 };

function documentOf(path: string): string {
  const parts = path.split('/').filter((part) => part !== '');
  return parts.slice(0, DEPTHS[parts[0] ?? '']).join('/');
}

/** Converts a part of the v2 document to v3, with all definitions it refers to. */
export function buildOpenapiV3({ info, security, securityDefinitions }: OpenapiV2, paths: Paths, definitions: ReadonlyMap<string, unknown>): OpenapiV3 {
  const schemas = [...definitionsFor(paths, definitions)].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    openapi: '3.0.0',
    info,
    paths: Object.fromEntries(paths.map(([path, item]) => [path, pathItemV3(item)])),
    components: {
      schemas: Object.fromEntries(schemas.map(([name, schema]) => [name, componentOf(name, schema)])),
      securitySchemes: securityDefinitions,
    },
    security,
  };
}

function pathItemV3({ parameters, ...members }: PathItem): object {
  const converted = METHODS.flatMap((method) => (members[method] === undefined ? [] : [[method, operationV3(members[method])] as const]));
  return { ...members, ...Object.fromEntries(converted), ...(parameters === undefined ? {} : { parameters: parameters.map(parameterV3) }) };
}

function operationV3({ consumes, produces, schemes: _schemes, parameters = [], responses, ...rest }: Operation): object {
  const body = parameters.find((parameter) => parameter.in === 'body');
  const others = parameters.filter((parameter) => parameter !== body);
  const contentOf = (types: readonly string[] | undefined, schema: unknown): object => Object.fromEntries((types ?? ['*/*']).map((type) => [type, { schema: schemaV3(schema) }]));
  const answers = Object.entries(responses).map(([code, { description, schema }]) => {
    return [code, { description, ...(schema === undefined ? {} : { content: contentOf(produces, schema) }) }] as const;
  });
  return {
    ...rest,
    ...(others.length === 0 ? {} : { parameters: others.map(parameterV3) }),
    ...(body === undefined ? {} : { requestBody: { content: contentOf(consumes, body.schema), ...(body.required === true ? { required: true } : {}) } }),
    responses: Object.fromEntries(answers),
  };
}

function parameterV3({ type, uniqueItems, ...rest }: Parameter): object {
  return { ...rest, schema: { ...(type === undefined ? {} : { type }), ...(uniqueItems === undefined ? {} : { uniqueItems }) } };
}
