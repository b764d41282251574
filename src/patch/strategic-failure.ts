import { compareUtf8, isJsonObject, type JsonObject } from '#base';
import { badRequest, goPlain, goQuoted, goTypeOf, withoutReason, type ApiError } from '#errors';
import { inapplicable } from './inapplicable.ts';

const FORMAT = 'invalid patch format of';

/** A directive does not say of which list, or only begins like one. `what`: how messages call its value. */
const namesNoList = (what: string, directive: string): ApiError =>
  badRequest(`${FORMAT} ${what}: ${goQuoted(directive)} names no list: behind the directive stand "/" and the name of one`);

export const badDeletionList = (directive: string): ApiError => namesNoList('primitive list', directive);
export const badElementOrder = (directive: string): ApiError => namesNoList('setElementOrder list', directive);

/** `$retainKeys` is not a list, or the patch sets a key that it does not name. */
export const badRetainKeys = (): ApiError => badRequest(`${FORMAT} retainKeys`);

/** A list to be merged contains a list. */
export const listOfLists = (): ApiError => inapplicable(new Error('lists of lists are not supported'));

/** The items of a list to be merged, live ones and those of the patch, are of more than one type. */
export const mixedItems = (live: readonly unknown[], patch: readonly unknown[]): ApiError =>
  withoutReason(`the items of a merged list must all be of one type: ${goPlain(patch)} cannot be merged into ${goPlain(live)}`);

/** `$setElementOrder` orders a list that has no items, neither live ones nor in the patch. */
export const nothingToOrder = (directive: string): ApiError => withoutReason(`${directive}: the list has no items that could be ordered`);

/** `$setElementOrder` of a list with a merge key names an item by something other than that key. */
export const orderWithoutKey = (directive: string, key: string, value: unknown): ApiError =>
  withoutReason(`${directive}: items are named by their merge key, as in {${goQuoted(key)}: ...}, and not by ${goPlain(value)}`);

/** `$setElementOrder`, or the member that it orders, is not a list. */
export const noList = (value: unknown): ApiError =>
  withoutReason(`expected a []interface {}, but received a ${value === null ? '%!s(<nil>)' : goTypeOf(value)}`);

/** How Go shows a value where a text is expected: all that is none in it is marked with its type. */
function goText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isJsonObject(value)) return value === null ? '%!s(<nil>)' : `%!s(${goTypeOf(value)}=${goPlain(value)})`;
  const names = Object.keys(value).sort(compareUtf8);
  return `map[${names.map((name) => `${name}:${goText(value[name])}`).join(' ')}]`;
}

/** `$patch` has an unknown value. */
export const unknownDirective = (directive: unknown, patch: JsonObject): ApiError =>
  withoutReason(`unknown patch type: ${goText(directive)} in map: ${goPlain(patch)}`);

/** `$setElementOrder` names a field that the type does not have; `type` includes the Go package. */
export const unknownMember = (type: string, name: string): ApiError =>
  withoutReason(`unable to find api field in struct ${type.slice(type.lastIndexOf('.') + 1)} for the json field ${goQuoted(name)}`);

/** `$setElementOrder` names a member that is no list. */
export const otherThanList = (): ApiError => withoutReason('expected slice or array type, but got: struct');

/** The patch merges into a value of a map, whose values are only ever replaced. */
export const inMap = (): ApiError => withoutReason('merging an object in json but data type is not struct, instead is: map');

/** The patch merges into a `RawExtension`, which has no schema to merge by. */
export const undescribed = (name: string): ApiError => unknownMember('RawExtension', name);

/** An item of a list to be merged lacks the merge key. */
export const noMergeKey = (key: string, item: JsonObject): ApiError =>
  withoutReason(`map: ${goPlain(item)} does not contain declared merge key: ${key}`);

/** The items of a list in the patch are not in the order of `$setElementOrder`. */
export const otherOrder = (given: readonly unknown[], order: readonly unknown[]): ApiError =>
  withoutReason(`The order in patch list:\n${goPlain(given)}\n doesn't match $setElementOrder list:\n${goPlain(order)}\n`);
