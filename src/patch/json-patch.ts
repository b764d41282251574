import { cloneJson, isDeepEqual, isJsonObject, jsonText, type JsonObject, memberOf, setMember } from '#base';
import { badRequest, tooLarge } from '#errors';
import { inapplicable } from './inapplicable.ts';
import { itemIndex, levelOf, locate, valueAt, type Place } from './json-pointer.ts';
import { copyJson, DepthFailure, isDeeperThan, MAX_DEPTH, sizeOf } from './json-value.ts';
import { MAX_COPIED_BYTES, MAX_OPERATIONS, MAX_SHIFTED_ITEMS } from './limits.ts';

/** The state of applying a patch: a copy of the document, which is changed in place. */
interface Course {
  document: unknown;
  copiedBytes: number;
  shiftedItems: number;
  /** Whether a value was moved to a place that is deeper than its own. */
  isDeepened: boolean;
}

/** An operation cannot be carried out; the message says why. */
class OperationFailure extends Error {
  override readonly name = 'OperationFailure';
}

/**
 * Applies a JSON patch (RFC 6902), as in 1.23 also with negative indexes, and with `test` treating null and absence as equal. Other than in 1.23, `test`
 * compares values and not how they are spelled: 1 is 1.0, and a character is its escape. Changes neither argument. Throws ApiError: BadRequest when the
 * patch is not a list of operations, RequestEntityTooLarge for more than 10,000 of them, Invalid when an operation cannot be carried out, or puts
 * anything deeper than a request may hold it.
 * @spec 4.9
 */
export function jsonPatch(document: unknown, patch: unknown): unknown {
  const operations = patch ?? [];
  if (!Array.isArray(operations)) throw badRequest('a JSON patch must be a list of operations');
  if (operations.length > MAX_OPERATIONS) {
    throw tooLarge(`The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${operations.length}`);
  }
  for (const [at, operation] of operations.entries()) {
    if (operation !== null && !isJsonObject(operation)) throw badRequest(`operation ${at} of the JSON patch must be an object`);
  }
  const course: Course = { document: cloneJson(document), copiedBytes: 0, shiftedItems: 0, isDeepened: false };
  for (const [at, operation] of operations.entries()) run(course, (operation ?? {}) as JsonObject, at);
  if (course.isDeepened && isDeeperThan(course.document, MAX_DEPTH)) throw inapplicable(new DepthFailure());
  return course.document;
}

type Run = (course: Course, operation: JsonObject) => void;

const RUN: ReadonlyMap<unknown, Run> = new Map<unknown, Run>([
  ['add', add],
  ['remove', (course, operation) => removeAt(course, place(course, text(operation, 'path')))],
  ['replace', replace],
  ['move', move],
  ['copy', copy],
  ['test', test],
]);

function run(course: Course, operation: JsonObject, at: number): void {
  try {
    const one = RUN.get(memberOf(operation, 'op'));
    if (one === undefined) throw new OperationFailure(`unknown op ${jsonText(memberOf(operation, 'op') ?? '')}`);
    one(course, operation);
  } catch (error) {
    if (!(error instanceof OperationFailure || error instanceof DepthFailure)) throw error;
    throw inapplicable(new Error(`operation ${at}: ${error.message}`, { cause: error }));
  }
}

function text(operation: JsonObject, name: string): string {
  const value = memberOf(operation, name);
  if (typeof value !== 'string') throw new OperationFailure(`${name} must be a string`);
  return value;
}

/** The value of an operation, for the place of the pointer; null where it has none. */
const valueOf = (operation: JsonObject, pointer: string): unknown => copyJson(memberOf(operation, 'value') ?? null, levelOf(pointer));

function place({ document }: Course, pointer: string): Place {
  const found = locate(document, pointer);
  if (found === undefined) throw new OperationFailure(`the document has no place ${JSON.stringify(pointer)}`);
  return found;
}

const missing = ({ name }: Place): OperationFailure => new OperationFailure(`there is no ${JSON.stringify(name)}`);

function addAt(course: Course, pointer: string, value: unknown): void {
  const at = place(course, pointer);
  if (!Array.isArray(at.holder)) return setMember(at.holder, at.name, value);
  if (at.name === '-') {
    at.holder.push(value);
    return;
  }
  const index = itemIndex(at.name, at.holder.length + 1);
  if (index === undefined) throw missing(at);
  shift(course, at.holder.length - index);
  at.holder.splice(index, 0, value);
}

function removeAt(course: Course, at: Place): void {
  if (Array.isArray(at.holder)) {
    const index = existingIndex(at, at.holder);
    shift(course, at.holder.length - index);
    at.holder.splice(index, 1);
  } else if (Object.hasOwn(at.holder, at.name)) {
    Reflect.deleteProperty(at.holder, at.name);
  } else {
    throw missing(at);
  }
}

function shift(course: Course, items: number): void {
  course.shiftedItems += items;
  if (course.shiftedItems > MAX_SHIFTED_ITEMS) throw new OperationFailure(`the operations shift more than ${MAX_SHIFTED_ITEMS} list items`);
}

function existingIndex(at: Place, list: readonly unknown[]): number {
  const index = itemIndex(at.name, list.length);
  if (index === undefined) throw missing(at);
  return index;
}

function add(course: Course, operation: JsonObject): void {
  const pointer = text(operation, 'path');
  addAt(course, pointer, valueOf(operation, pointer));
}

/** As in 1.23, a member that does not exist is added; a list item has to exist. */
function replace(course: Course, operation: JsonObject): void {
  const pointer = text(operation, 'path');
  const value = valueOf(operation, pointer);
  if (pointer === '') {
    if (memberOf(operation, 'value') === undefined) throw new OperationFailure('there is no value that could replace the document');
    // As in 1.23, a value that cannot be a document is ignored.
    if (isJsonObject(value) || Array.isArray(value)) course.document = value;
    return;
  }
  const at = place(course, pointer);
  if (Array.isArray(at.holder)) at.holder[existingIndex(at, at.holder)] = value;
  else setMember(at.holder, at.name, value);
}

function move(course: Course, operation: JsonObject): void {
  const from = place(course, text(operation, 'from'));
  const value = valueAt(from.holder, from.name);
  removeAt(course, from);
  course.isDeepened ||= levelOf(text(operation, 'path')) > levelOf(text(operation, 'from'));
  addAt(course, text(operation, 'path'), value);
}

function copy(course: Course, operation: JsonObject): void {
  const from = place(course, text(operation, 'from'));
  if (Array.isArray(from.holder)) existingIndex(from, from.holder);
  const value = valueAt(from.holder, from.name) ?? null;
  course.copiedBytes += sizeOf(value);
  if (course.copiedBytes > MAX_COPIED_BYTES) throw new OperationFailure(`the copies add up to more than ${MAX_COPIED_BYTES} bytes`);
  addAt(course, text(operation, 'path'), copyJson(value, levelOf(text(operation, 'path'))));
}

function test(course: Course, operation: JsonObject): void {
  const pointer = text(operation, 'path');
  const expected = memberOf(operation, 'value') ?? null;
  const found = pointer === '' ? course.document : readAt(place(course, pointer));
  if (!isDeepEqual(found, expected)) throw new OperationFailure(`${JSON.stringify(pointer)} does not have the expected value`);
}

function readAt(at: Place): unknown {
  if (Array.isArray(at.holder)) existingIndex(at, at.holder);
  return valueAt(at.holder, at.name) ?? null;
}
