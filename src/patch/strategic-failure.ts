import { jsonText, type JsonObject } from '#base';
import { badRequest, goPlain, goQuoted, goTypeOf, withoutReason, type ApiError } from '#errors';
import { inapplicable } from './inapplicable.ts';

const FORMAT = 'invalid patch format of';

export const badDeletionList = (): ApiError => badRequest(`${FORMAT} primitive list`);
export const badRetainKeys = (): ApiError => badRequest(`${FORMAT} retainKeys`);

export const listOfLists = (): ApiError => inapplicable(new Error('lists of lists are not supported'));

/** For `$setElementOrder`, and what it orders. */
export const noList = (value: unknown): ApiError =>
  withoutReason(`expected a []interface {}, but received a ${value === null ? '%!s(<nil>)' : goTypeOf(value)}`);

export const unknownDirective = (directive: unknown, patch: JsonObject): ApiError =>
  withoutReason(`unknown patch type: ${typeof directive === 'string' ? directive : jsonText(directive)} in map: ${goPlain(patch)}`);

/** For `$setElementOrder` beside a list that the type does not have; `type` with its package. */
export const unknownMember = (type: string, name: string): ApiError =>
  withoutReason(`unable to find api field in struct ${type.slice(type.lastIndexOf('.') + 1)} for the json field ${goQuoted(name)}`);

/** What is inside of a member that can be anything has no schema to be merged by. */
export const undescribed = (name: string): ApiError => unknownMember('RawExtension', name);

export const noMergeKey = (key: string, item: JsonObject): ApiError =>
  withoutReason(`map: ${goPlain(item)} does not contain declared merge key: ${key}`);

/** The list of a patch, and the order beside it. */
export const otherOrder = (given: readonly unknown[], order: readonly unknown[]): ApiError =>
  withoutReason(`The order in patch list:\n${goPlain(given)}\n doesn't match $setElementOrder list:\n${goPlain(order)}\n`);
