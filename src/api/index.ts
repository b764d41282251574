export type { Follower, KindName, ObjectAccess, Prerequisite } from './access.ts';
export type { Allocation, Allocating, HeldValues } from './allocating.ts';
export { brandOf, DIALECTS, versionInAnyDialect, type Brand, type Dialect, type WellKnownName } from './brand.ts';
export { createCatalog, createResource, isOfNamespaces, groupResourceOf, type Catalog, type OpenCatalog, type Resource, type ServedVersion } from './catalog.ts';
export {
  ALL_VERBS,
  defineKind,
  type Carried,
  type Connects,
  type Cascade,
  type Column,
  type HookContext,
  type HookUser,
  type KindDefinition,
  type KindObject,
  listKindOf,
  type ObjectOf,
  type OtherVersions,
  type Scaling,
  type Signed,
  type StoredForms,
  type Subresource,
  type Verb,
  type Version,
} from './kind.ts';
export type { ApiObject, ObjectKey } from './object.ts';
export * from './system-users.ts';
export { ListMeta, ObjectMeta, OwnerReference } from './object-meta.ts';
export { fillDefaults } from './fill-defaults.ts';
export { objectTypeOf } from './object-type.ts';
export { nameParameterFailure } from './name-parameter.ts';
export * from './names.ts';
export { bareIp, blockHas, checkCidr, checkIp, familyOf, isIpv4, parseCidr, parseIp, type IpBlock } from './ip.ts';
export {
  LabelSelector,
  compileSelectorMessage,
  faultOfValues,
  formatLabels,
  formatSelectorMessage,
  isEmptySelector,
  isUsableSelector,
  labelOf,
  validateLabelSelector,
  validateMatchLabels,
  type LabelPredicate,
  type Labels,
} from './selectors/label-selector.ts';
export { compileLabelSelector } from './selectors/label.ts';
export { compileFieldSelector, parseFieldSelector, selectableFields, valueOfField, type FieldRequirement, type FieldValue } from './selectors/field.ts';
export * from './options.ts';
export * from './discovery.ts';
export {
  MAX_ANNOTATIONS_BYTES,
  checkFinalizer,
  validateAnnotations,
  validateFieldManager,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from './metadata-rules.ts';
export { FOREGROUND_FINALIZER, ORPHAN_FINALIZER, type Propagation } from './propagation.ts';
export { metadataAlone } from './metadata-alone.ts';
export { formatAge, formatDuration } from './age.ts';
export { generateName } from './generate-name.ts';
export { nextGeneration } from './next-generation.ts';
export { toServedVersion, toStorageVersion } from './convert.ts';
export { apiVersionOf, isApiVersion, parseApiVersion, resourceName, rootPathOf, type GroupVersion } from './group-version.ts';
export {
  Table,
  TableRow,
  columnsOf,
  parseIncludeObject,
  tableHead,
  tableRow,
  toTable,
  type TableRequest,
  type TableSource,
} from './table.ts';
export { base64Length, decodeBase64Text, encodeBase64Text } from './base64.ts';
export { areStoredTogether } from './stored-together.ts';
export { compareVersions } from './version-order.ts';
