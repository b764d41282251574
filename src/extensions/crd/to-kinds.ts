import { objectTypeOf, type Brand, type KindDefinition, type StoredForms, type Subresource, type Verb } from '#api';
import { isReviewVersion, scalePart } from '#kinds';
import type { CallConversion } from './conversion-webhook.ts';
import { otherVersions, webhookForms, type OwnedVersion, type WebhookConversion } from './conversion-webhook.ts';
import { columnsOf } from './columns.ts';
import { DEFINITION, isGoing, keepsUnknown, nameOf, schemaOf, storageVersionOf, versionsOf, type Definition, type DefinitionVersion } from './definition.ts';
import { deprecationWarning } from './deprecation-warning.ts';
import { createObjectSchema, type ObjectSchema } from './object-schema.ts';
import { createRules } from './object-rules.ts';
import { formsOfOlder } from './older-objects.ts';
import { createScaling } from './scaling.ts';
import { renamingForms, type Schemas } from './stored-forms.ts';

/** In the order discovery has always listed them for custom resources. */
const VERBS: readonly Verb[] = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

/**
 * The kinds that a definition declares: one for each served version, the storage version first. `hasOthers`: the objects may have been stored by other
 * programs, which prune and default in their own ways.
 * @spec 4.1
 */
export function toKinds(definition: Definition, brand: Brand, call: CallConversion, hasOthers = false): readonly KindDefinition[] {
  const versions = versionsOf(definition).toSorted((a, b) => Number(b.storage) - Number(a.storage));
  const objectSchemas = new Map(versions.map((version) => [version.name, objectSchemaOf(definition, version)]));
  const shared = sharedBy(definition, objectSchemas, brand, call, hasOthers);
  return versions
    .filter(({ served }) => served)
    .map((version) => {
      const schema = objectSchemas.get(version.name) as ObjectSchema;
      return toKind(definition, version, schema, conversionOf(definition, version, schema, shared));
    });
}

/** The kind of the stored objects as they are, for deleting all of them. */
export function toStoredKind(definition: Definition): KindDefinition {
  const version = storageVersionOf(definition);
  return toKind(definition, version, objectSchemaOf(definition, version), {});
}

const objectSchemaOf = (definition: Definition, version: DefinitionVersion): ObjectSchema =>
  createObjectSchema(openapiNameOf(definition, version.name), schemaOf(definition, version), { keepsUnknown: keepsUnknown(definition) });

function toKind(definition: Definition, version: DefinitionVersion, schema: ObjectSchema, conversion: Conversion): KindDefinition {
  const { spec, status } = definition;
  // Objects are stored under the plural: a status that says another must not lead to those of another definition.
  const { plural } = spec.names;
  const { singular, kind, listKind, shortNames, categories } = status.acceptedNames;
  const { status: statusPart, scale } = version.subresources ?? {};
  const warning = deprecationWarning(definition, version);
  const stored = storageVersionOf(definition);
  return {
    group: spec.group,
    kind,
    plural,
    ...(listKind ? { listKind } : {}),
    ...(singular ? { singular } : {}),
    ...(shortNames === undefined ? {} : { shortNames }),
    ...(categories === undefined ? {} : { categories }),
    scope: spec.scope as KindDefinition['scope'],
    isCustom: true,
    declaredBy: { ...DEFINITION, name: nameOf(definition), uid: definition.metadata.uid },
    takesAnyFinalizer: true,
    repeatsMetadataRules: ['change'],
    versions: { [version.name]: { schema: schema.schema, ...(warning === undefined ? {} : { warning }) } },
    storage: version.name,
    knownStorage: stored.served ? stored.name : null,
    verbs: VERBS,
    ...(isGoing(definition) ? { isLeaving: true } : {}),
    unconditionalUpdate: false,
    generation: [],
    subresources: partsOf(statusPart !== undefined, scale),
    columns: columnsOf(version),
    refuseField: (key) => `field label not supported: ${key}`,
    ...conversion,
    ...createRules({ structural: () => schema.structural }, statusPart !== undefined, scale),
  };
}

function partsOf(hasStatus: boolean, scale: Parameters<typeof createScaling>[0] | undefined): Readonly<Record<string, Subresource>> {
  return {
    ...(hasStatus ? { status: { verbs: ['get', 'patch', 'update'], writes: ['status'], unowned: ['spec'] } as const } : {}),
    ...(scale === undefined ? {} : { scale: { ...scalePart(), scaling: createScaling(scale) } }),
  };
}

/** State shared by all versions of a definition, of which there may be thousands. */
interface Shared {
  readonly schemas: Schemas;
  /** undefined: versions differ only in name. */
  readonly webhook: WebhookConversion | undefined;
  readonly others: Pick<KindDefinition, 'otherVersions'>;
  readonly hasOthers: boolean;
}

function sharedBy(definition: Definition, objectSchemas: ReadonlyMap<string, ObjectSchema>, brand: Brand, call: CallConversion, hasOthers: boolean): Shared {
  const apiVersionOf = (name: string): string => `${definition.spec.group}/${name}`;
  const webhook = webhookOf(definition, brand, call);
  const owned = versionsOf(definition).map((version) => [apiVersionOf(version.name), ownedVersion(version, objectSchemas.get(version.name) as ObjectSchema)] as const);
  return {
    schemas: new Map([...objectSchemas].map(([name, schema]) => [apiVersionOf(name), () => schema.structural])),
    webhook,
    others: { otherVersions: otherVersions(webhook, new Map(owned)) },
    hasOthers,
  };
}

function ownedVersion({ subresources }: DefinitionVersion, { schema }: ObjectSchema): OwnedVersion {
  const type = objectTypeOf(schema);
  const scalePath = subresources?.scale?.specReplicasPath;
  return scalePath === undefined ? { type } : { type, scalePath };
}

/** The conversion between a version, the others and the stored form. */
type Conversion = Pick<KindDefinition, 'storedForms' | 'otherVersions'>;

const conversionOf = (definition: Definition, version: DefinitionVersion, own: ObjectSchema, shared: Shared): Conversion => ({
  storedForms: storedFormsOf(definition, version, own, shared),
  ...shared.others,
});

function storedFormsOf(definition: Definition, { name, storage }: DefinitionVersion, own: ObjectSchema, { schemas, webhook, hasOthers }: Shared): StoredForms {
  const { group } = definition.spec;
  const apiVersion = `${group}/${name}`;
  const stored = `${group}/${storageVersionOf(definition).name}`;
  const forms = webhook === undefined ? renamingForms(schemas, apiVersion, stored) : webhookForms(webhook, schemas, apiVersion, stored);
  // While a definition has never changed, this server stored objects as it declares, except for the defaults of those written in another version.
  const isUnchanged = !hasOthers && storage && Number(definition.metadata.generation ?? 1) === 1;
  return isUnchanged && (schemas.size === 1 || !own.hasDefaults) ? formsOfOlder(definition, apiVersion, forms) : forms;
}

/** The conversion webhook; undefined: versions differ only in name. */
function webhookOf({ spec: { conversion } }: Definition, brand: Brand, call: CallConversion): WebhookConversion | undefined {
  const { clientConfig: client, conversionReviewVersions: reviews } = conversion?.webhook ?? {};
  if (conversion?.strategy !== 'Webhook' || client === undefined) return undefined;
  const reviewVersion = reviews?.find(isReviewVersion) ?? 'v1';
  return { client, reviewVersion, reviewGroup: brand.group('apiextensions'), call };
}

/** `stable.example.com` and `v1` → `com.example.stable.v1.Kind`; the mark says that the name is spelled already. */
const openapiNameOf = ({ spec, status }: Definition, version: string): string =>
  `=${spec.group.split('.').reverse().join('.')}.${version}.${status.acceptedNames.kind}`;
