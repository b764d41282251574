export { t } from './dsl.ts';
export {
  Field,
  type FieldFacts,
  type ListMerge,
  type MessageClass,
  type MessageForm,
  type MessageType,
  type NullChoice,
  type OpenMessage,
  type PatchStrategy,
  type Type,
} from './field.ts';
export { decode, decodeMerged, MAX_MESSAGES, zeroOf } from './facets/decode.ts';
export { unknownFields } from './facets/unknown-fields.ts';
export { DecodeFailure, describe } from './facets/decode-failure.ts';
export { refuseFloats } from './facets/refuse-floats.ts';
export { applyDefaults } from './facets/defaults.ts';
export { holdsRaw } from './facets/holds-raw.ts';
export { inOrder } from './facets/in-order.ts';
export { nullEmptyLists } from './facets/null-lists.ts';
export { openapiDefinitions, openapiName, openapiReference, type OpenapiDefinitions, type OpenapiVersion } from './facets/openapi.ts';
export type { OpenapiSchema } from './facets/openapi-schema.ts';
export { isSameByType, isSameMeaning } from './facets/same-meaning.ts';
export type { Shape, ValueOf } from './infer.ts';
export { quantityMisfit } from './scalars/misfits.ts';
export { bytesScalar } from './scalars/bytes.ts';
export { intOrStringScalar } from './scalars/int-or-string.ts';
export { boolScalar, doubleScalar, int32Scalar, int64Scalar, stringScalar } from './scalars/plain.ts';
export {
  addQuantities,
  compareQuantities,
  formatQuantity,
  negateQuantity,
  parseQuantity,
  quantityRatio,
  quantityScalar,
  roundUpQuantityText,
  ZERO_QUANTITY,
  type Quantity,
  type QuantityForm,
} from './scalars/quantity.ts';
export { fieldsV1Scalar, jsonScalar, rawObjectScalar } from './scalars/raw.ts';
export type { Scalar, ScalarName } from './scalars/scalar.ts';
export { formatMicroTime, formatTime, microTimeScalar, readMoment, timeScalar } from './scalars/time.ts';
export { OBJECT_HEAD } from './object-head.ts';
export { newJudging, type Judging } from './structural/judging.ts';
export { dropNulls, fillDefaults, hasDefaults } from './structural/defaults.ts';
export { validateListKeys } from './structural/list-keys.ts';
export { compilePattern, faultOfPattern } from './structural/pattern.ts';
export { sizeOfPattern } from './structural/pattern-size.ts';
export { prune, type Pruned } from './structural/prune.ts';
export { VALUE_TYPES, type SchemaProps } from './structural/props.ts';
export { additionalOf, createStructural, partsOf, type Structural } from './structural/structural.ts';
export { isRequestUri } from './structural/request-uri.ts';
export { validateBySchema } from './structural/validate.ts';
