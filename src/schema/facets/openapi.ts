import { isTurnLong, nextTurn } from '#base';
import type { FieldFacts, MessageType, OpenMessage, PatchStrategy, Type } from '../field.ts';
import type { Scalar, ScalarName } from '../scalars/scalar.ts';
import type { OpenapiSchema } from './openapi-schema.ts';
import { publishWhole } from '../structural/publish-whole.ts';
import { hasOddTypes, publishSchema } from '../structural/publish.ts';
import { OBJECT_HEAD } from '../object-head.ts';

/** The version of OpenAPI that declared schemas are written in. All other definitions are the same in both. */
export type OpenapiVersion = 'v2' | 'v3';

/** Definitions by name. */
export type OpenapiDefinitions = Readonly<Record<string, OpenapiSchema>>;

const REFERENCE = '#/definitions/';
const MACHINERY = 'io.k8s.apimachinery.pkg.';

/** Packages that are not published under `io.k8s.api`. */
const PACKAGES: Readonly<Record<string, string>> = {
  runtime: `${MACHINERY}runtime`,
  version: `${MACHINERY}version`,
  'apis/meta': `${MACHINERY}apis.meta`,
  'api/resource': `${MACHINERY}api.resource`,
  'util/intstr': `${MACHINERY}util.intstr`,
  apiextensions: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions',
  apiregistration: 'io.k8s.kube-aggregator.pkg.apis.apiregistration',
};

/** Scalars that have a definition of their own. */
const SCALAR_DEFINITIONS: Readonly<Partial<Record<ScalarName, string>>> = {
  time: 'apis/meta/v1.Time',
  microTime: 'apis/meta/v1.MicroTime',
  quantity: 'api/resource.Quantity',
  intOrString: 'util/intstr.IntOrString',
  rawObject: 'runtime.RawExtension',
  fieldsV1: 'apis/meta/v1.FieldsV1',
  json: 'apiextensions/v1.JSON',
};

/** A union: the discriminator, and its value per field. */
type Union = readonly [discriminator: string, members: Readonly<Record<string, string>>];

const QUEUING: Union = ['type', { queuing: 'Queuing' }];
const LIMITED: Union = ['type', { limited: 'Limited' }];
const SUBJECT: Union = ['kind', { group: 'Group', serviceAccount: 'ServiceAccount', user: 'User' }];

const UNIONS: Readonly<Record<string, Union>> = {
  'core/v1.SeccompProfile': ['type', { localhostProfile: 'LocalhostProfile' }],
  'flowcontrol/v1beta1.LimitResponse': QUEUING,
  'flowcontrol/v1beta1.PriorityLevelConfigurationSpec': LIMITED,
  'flowcontrol/v1beta1.Subject': SUBJECT,
  'flowcontrol/v1beta2.LimitResponse': QUEUING,
  'flowcontrol/v1beta2.PriorityLevelConfigurationSpec': LIMITED,
  'flowcontrol/v1beta2.Subject': SUBJECT,
};

/** `core/v1.Container` → `io.k8s.api.core.v1.Container`; a name that begins with `=` is spelled already. */
export function openapiName(message: string): string {
  if (message.startsWith('=')) return message.slice(1);
  const dot = message.indexOf('.');
  const path = message.slice(0, dot);
  const slash = path.lastIndexOf('/');
  const [stem, version] = Object.hasOwn(PACKAGES, path) || slash < 0 ? [path, ''] : [path.slice(0, slash), `.${path.slice(slash + 1)}`];
  const published = Object.hasOwn(PACKAGES, stem) ? PACKAGES[stem] : `io.k8s.api.${stem.replaceAll('/', '.')}`;
  return `${published}${version}${message.slice(dot)}`;
}

/** A reference to the definition of a message. */
export const openapiReference = (message: string): OpenapiSchema => ({ $ref: `${REFERENCE}${openapiName(message)}` });

/** The definitions of these messages and of all they refer to, made in as many turns of the event loop as it takes. @spec 4.9 */
export async function openapiDefinitions(roots: Iterable<MessageType>, version: OpenapiVersion = 'v2'): Promise<OpenapiDefinitions> {
  const found = new Map<string, OpenapiSchema | undefined>();
  const waiting: MessageType[] = [...roots];
  const into = { found, waiting, version };
  for (let type = waiting.pop(); type !== undefined; type = waiting.pop()) {
    if (isTurnLong()) await nextTurn();
    const name = openapiName(type.name);
    if (!found.has(name)) found.set(name, describe(type, into));
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1))) as OpenapiDefinitions;
}

/** The definitions so far, and the types still to be described. */
interface Collection {
  readonly found: Map<string, OpenapiSchema | undefined>;
  readonly waiting: MessageType[];
  readonly version: OpenapiVersion;
}

function describe(type: MessageType, into: Collection): OpenapiSchema {
  if (type.form !== undefined) return describeForm(type, into);
  if (type.open !== undefined) return describeOpen(type, type.open, into);
  const members = [...type.fields].sort(([a], [b]) => (a < b ? -1 : 1));
  const required = [...type.fields].filter(([, facts]) => facts.isRequired).map(([name]) => name);
  const properties = Object.fromEntries(members.map(([name, facts]) => [name, describeMember(facts, into)]));
  return {
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    ...(members.length === 0 ? {} : { properties }),
    ...(type.isAtomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    ...describeUnion(type.name),
  };
}

/** OpenAPI v2 cannot express alternatives; the types inside are published all the same. */
function describeForm(type: MessageType, into: Collection): OpenapiSchema {
  for (const facts of type.fields.values()) describeMember(facts, into);
  return {};
}

/**
 * The object head comes from the message, all other fields from the schema. A message that has odd types, or none where it must have
 * one, publishes nothing more, nor does in v2 one that preserves unknown fields: clients would refuse what it does not name.
 */
function describeOpen(type: MessageType, { schema }: OpenMessage, into: Collection): OpenapiSchema {
  const hasType = schema.props.type !== undefined;
  if (hasOddTypes(schema) || (schema.preservesUnknown ? into.version === 'v2' : !hasType)) return { type: 'object' };
  const head = Object.fromEntries([...type.fields].filter(([name]) => OBJECT_HEAD.has(name)).map(([name, facts]) => [name, describeMember(facts, into)]));
  const { properties, ...published } = (into.version === 'v2' ? publishSchema : publishWhole)(schema.props, head);
  return { ...published, ...(hasType ? { type: 'object' } : {}), properties: { ...properties, ...head } };
}

function describeUnion(message: string): OpenapiSchema {
  const union = Object.hasOwn(UNIONS, message) ? UNIONS[message] : undefined;
  if (union === undefined) return {};
  const [discriminator, members] = union;
  return { 'x-kubernetes-unions': [{ discriminator, 'fields-to-discriminateBy': members }] };
}

function describeMember(facts: FieldFacts, into: Collection): OpenapiSchema {
  return { ...describeType(facts.type, into), ...describeMerge(facts) };
}

function describeType(type: Type, into: Collection): OpenapiSchema {
  switch (type.is) {
    case 'scalar':
      return describeScalar(type.scalar, into);
    case 'message':
      into.waiting.push(type.message());
      return openapiReference(type.message().name);
    case 'list':
      return { type: 'array', items: describeType(type.of, into) };
    case 'map':
      return { type: 'object', additionalProperties: describeType(type.of, into) };
  }
}

function describeScalar({ name, openapi }: Scalar, into: Collection): OpenapiSchema {
  const definition = SCALAR_DEFINITIONS[name];
  if (definition === undefined) return openapi;
  into.found.set(openapiName(definition), openapi);
  return openapiReference(definition);
}

function strategyOf({ merge, retainKeys }: PatchStrategy): string {
  if (!merge && !retainKeys) return 'replace';
  return [...(merge ? ['merge'] : []), ...(retainKeys ? ['retainKeys'] : [])].join(',');
}

function describeMerge({ listMerge, isAtomicMap, patch }: FieldFacts): OpenapiSchema {
  const strategy = patch === undefined ? '' : strategyOf(patch);
  return {
    ...(listMerge === undefined ? {} : { 'x-kubernetes-list-type': typeof listMerge === 'string' ? listMerge : 'map' }),
    ...(typeof listMerge === 'object' ? { 'x-kubernetes-list-map-keys': listMerge.map } : {}),
    ...(isAtomicMap === true ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    ...(patch?.key === undefined ? {} : { 'x-kubernetes-patch-merge-key': patch.key }),
    ...(strategy === '' ? {} : { 'x-kubernetes-patch-strategy': strategy }),
  };
}
