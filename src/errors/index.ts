export { ApiError, type Cause, type ErrorDetails, type Status } from './api-error.ts';
export { FieldErrors } from './field-errors.ts';
export { goJsonType, goPlain, goQuoted, goStruct, goTextMap, goTexts, goTypeOf, goUntyped, goUntypedText, GoValue } from './go-value.ts';
export * from './make.ts';
export { OutsideFailure } from './outside-failure.ts';
export { REASONS, type Reason } from './reasons.table.ts';
