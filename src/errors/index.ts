export { ApiError, codeOf, type Cause, type ErrorDetails, type Status } from './api-error.ts';
export { FieldErrors } from './field-errors.ts';
export { goJsonType, goPlain, goQuoted, goStruct, goTextMap, goTexts, goTypeOf, goUntyped, goUntypedText, GoValue } from './go-value.ts';
export { inOneMessage } from './in-one-message.ts';
export { isRefusal } from './is-refusal.ts';
export * from './make.ts';
export { noNumber } from './no-number.ts';
export { OutsideFailure } from './outside-failure.ts';
export { REASONS, type Reason } from './reasons.table.ts';
