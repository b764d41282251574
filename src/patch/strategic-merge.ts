import { isJsonObject, type JsonObject, memberOf, setMember } from '#base';
import { badRequest, tooLarge, withoutReason, type ApiError } from '#errors';
import type { FieldFacts, MessageType, Type } from '#schema';
import { identityBy, orderItems } from './element-order.ts';
import { copyJson, DepthFailure } from './json-value.ts';
import { MAX_MERGED_PARTS } from './limits.ts';
import {
  badDeletionList,
  badElementOrder,
  badRetainKeys,
  inMap,
  listOfLists,
  mixedItems,
  noList,
  noMergeKey,
  nothingToOrder,
  orderWithoutKey,
  otherOrder,
  otherThanList,
  undescribed,
  unknownDirective,
  unknownMember,
} from './strategic-failure.ts';

const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const DELETION_LIST = '$deleteFromPrimitiveList';
const ELEMENT_ORDER = '$setElementOrder';

/**
 * Applies a strategic merge patch to a whole object of a built-in kind: lists are merged by the merge keys of their type, and members that begin with
 * `$` are directives. Changes neither argument; the result shares parts with both.
 * Throws ApiError: BadRequest for malformed directives, 500 for unknown directives and items without their key, RequestEntityTooLarge for a patch that
 * is merged with the same parts over and over.
 * @spec 4.9
 */
export function strategicMerge(type: MessageType, object: object, patch: unknown): JsonObject {
  if (patch === null) return object as JsonObject;
  if (!isJsonObject(patch)) throw badRequest('a strategic merge patch must be a JSON object');
  return mergeObject({ parts: 0 }, { is: 'message', message: () => type }, object as JsonObject, ownCopy(patch));
}

/** What is counted while a patch is applied. */
interface Course {
  /** The list items and members that were looked at. */
  parts: number;
}

function look(course: Course, parts: number): void {
  course.parts += parts;
  if (course.parts > MAX_MERGED_PARTS) throw tooLarge(`The allowed maximum of list items and members that a strategic merge patch is merged with is ${MAX_MERGED_PARTS}`);
}

/** Copies the patch and checks its depth, so that later recursions cannot overflow the stack. */
function ownCopy(patch: JsonObject): JsonObject {
  try {
    return copyJson(patch);
  } catch (error) {
    throw error instanceof DepthFailure ? badRequest(error.message) : error;
  }
}

/** The declaration of a member; undefined where the schema has none. */
interface Member {
  readonly type: Type | undefined;
  readonly facts: FieldFacts | undefined;
}

function memberType(of: Type | undefined, name: string): Member {
  if (of?.is === 'map') return { type: of.of, facts: undefined };
  const facts = of?.is === 'message' ? of.message().fields.get(name) : undefined;
  return { type: facts?.type, facts };
}

function mergeObject(course: Course, type: Type | undefined, original: JsonObject, patch: JsonObject): JsonObject {
  const directive = memberOf(patch, DIRECTIVE);
  if (directive !== undefined) return replaceOrDelete(directive, patch);
  const merged: JsonObject = { ...original };
  look(course, Object.keys(merged).length);
  retainKeys(merged, patch);
  const ordered = mergeOrderedLists(course, type, merged, patch);
  for (const name of Object.keys(patch)) {
    if (name === RETAIN_KEYS || name.startsWith(ELEMENT_ORDER) || ordered.has(name)) continue;
    if (name.startsWith(DELETION_LIST)) deleteFromList(course, type, merged, listNamedBy(name, DELETION_LIST, badDeletionList), patch[name]);
    else mergeMember(course, type, merged, name, patch[name]);
  }
  return merged;
}

function replaceOrDelete(directive: unknown, patch: JsonObject): JsonObject {
  if (directive === 'delete') return {};
  if (directive !== 'replace') throw unknownDirective(directive, patch);
  const { [DIRECTIVE]: _directive, ...rest } = patch;
  return rest;
}

function mergeMember(course: Course, of: Type | undefined, merged: JsonObject, name: string, value: unknown): void {
  if (value === undefined) return;
  if (value === null) {
    Reflect.deleteProperty(merged, name);
    return;
  }
  const before = memberOf(merged, name);
  if ((isJsonObject(before) && isJsonObject(value)) || (Array.isArray(before) && Array.isArray(value))) {
    if (isUnknown(of)) throw undescribed(name);
    if (of?.is === 'map') throw inMap();
  }
  const { type, facts } = memberType(of, name);
  if (isJsonObject(before) && isJsonObject(value)) {
    const isReplaced = facts?.patch !== undefined && !facts.patch.merge && !facts.patch.retainKeys;
    setMember(merged, name, isReplaced ? value : mergeObject(course, type, before, value));
  } else if (Array.isArray(before) && Array.isArray(value) && facts?.patch?.merge === true) {
    setMember(merged, name, mergeList(course, facts, type, before, value));
  } else {
    // As in 1.23, a value that has nothing to be merged with is taken as it is, directives and nulls included.
    setMember(merged, name, value);
  }
}

/** Whether a type is a `RawExtension`, which has no schema: it can be replaced, but not merged. */
const isUnknown = (of: Type | undefined): boolean => of?.is === 'scalar' && of.scalar.name === 'rawObject';

const isBytes = (type: Type): boolean => type.is === 'scalar' && type.scalar.name === 'bytes';

/** Executes `$retainKeys`: removes every member that it does not list. The patch may not set other members. */
function retainKeys(merged: JsonObject, patch: JsonObject): void {
  const listed = memberOf(patch, RETAIN_KEYS);
  if (listed === undefined) return;
  if (!Array.isArray(listed)) throw badRetainKeys();
  const kept = new Set<unknown>(listed);
  for (const name of Object.keys(patch)) {
    const isSet = patch[name] !== null && name !== RETAIN_KEYS && !name.startsWith(DELETION_LIST) && !name.startsWith(ELEMENT_ORDER);
    if (isSet && !kept.has(name)) throw badRetainKeys();
  }
  for (const name of Object.keys(merged)) if (!kept.has(name)) Reflect.deleteProperty(merged, name);
}

/** The list that stands behind the `/` of a directive. Throws where there is none, or where something else stands before it: a list is named once. */
function listNamedBy(directive: string, prefix: string, refusal: (directive: string) => ApiError): string {
  if (!directive.startsWith(`${prefix}/`)) throw refusal(directive);
  return directive.slice(prefix.length + 1);
}

/**
 * Executes `$deleteFromPrimitiveList`. As in 1.23, only lists that are merged lose items; any other member that has the shape of the directive's value
 * is merged with that value, or replaced by it.
 */
function deleteFromList(course: Course, of: Type | undefined, merged: JsonObject, name: string, gone: unknown): void {
  const before = memberOf(merged, name);
  if (before === undefined || (gone !== null && shapeOf(gone) !== shapeOf(before))) return;
  const { type, facts } = memberType(of, name);
  if (Array.isArray(before) && Array.isArray(gone) && facts?.patch?.merge === true) {
    setMember(merged, name, mergeList(course, facts, type, before, gone, DIFFERENCE));
  } else {
    mergeMember(course, of, merged, name, gone);
  }
}

const shapeOf = (value: unknown): string => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value);

/** Merges the lists for which the patch has a `$setElementOrder`, and returns their names. */
function mergeOrderedLists(course: Course, of: Type | undefined, merged: JsonObject, patch: JsonObject): ReadonlySet<string> {
  const done = new Set<string>();
  for (const directive of Object.keys(patch)) {
    if (!directive.startsWith(ELEMENT_ORDER)) continue;
    const order = patch[directive];
    if (!Array.isArray(order)) throw noList(order);
    const name = listNamedBy(directive, ELEMENT_ORDER, badElementOrder);
    const given = memberOf(patch, name);
    const before = memberOf(merged, name);
    if (before !== undefined && !Array.isArray(before)) throw noList(before);
    if (given !== undefined && !Array.isArray(given)) throw noList(given);
    const { type, facts } = memberType(of, name);
    insistOnList(of, facts, name);
    const key = facts?.patch?.key;
    const identity = identityBy(key);
    insistOnOrder(order, given ?? [], key);
    const live: readonly unknown[] = before ?? [];
    look(course, live.length);
    done.add(name);
    if (before === undefined && given === undefined) continue;
    if (live.length + (given?.length ?? 0) === 0) throw nothingToOrder(directive);
    if (key !== undefined) insistOnKeys(directive, order, key);
    const items = given === undefined ? live : before !== undefined && facts?.patch?.merge === true ? mergeList(course, facts, type, live, given) : given;
    if (key !== undefined) insistOnKeys(directive, items, key);
    setMember(merged, name, orderItems(items, order, placesOf(live, given ?? [], identity), identity));
  }
  return done;
}

/** Throws where the member that a directive names cannot be a list: a list that is absent may be ordered in advance, anything else may not. */
function insistOnList(of: Type | undefined, facts: FieldFacts | undefined, name: string): void {
  if (of?.is === 'map') throw inMap();
  if (isUnknown(of)) throw undescribed(name);
  if (of?.is !== 'message') return;
  if (facts === undefined) throw unknownMember(of.message().name, name);
  // As in 1.23, where all that a pointer leads to passes for a list, and where bytes are one.
  if (facts.type.is !== 'list' && !facts.isPointer && !isBytes(facts.type)) throw otherThanList();
}

function insistOnKeys(directive: string, items: readonly unknown[], key: string): void {
  for (const one of items) {
    if (!isJsonObject(one)) throw orderWithoutKey(directive, key, one);
    keyOf(one, key);
  }
}

/** The live order of items for sorting. New items get places at the end of it, but no more than there were deleted items. */
function placesOf(live: readonly unknown[], given: readonly unknown[], identity: (item: unknown) => unknown): readonly unknown[] {
  const gone = new Set(given.filter((item) => isJsonObject(item) && memberOf(item, DIRECTIVE) === 'delete').map(identity));
  const left = gone.size === 0 ? live : live.filter((item) => !gone.has(identity(item)));
  if (left.length === live.length) return live;
  const known = new Set(left.map(identity));
  return [...left, ...given.filter((item) => isKept(item) && !known.has(identity(item)))].slice(0, live.length);
}

const isKept = (item: unknown): boolean => !isJsonObject(item) || !Object.hasOwn(item, DIRECTIVE);

/** Throws where the items of the patch are not all in the order list, or not in its order, or have no key to compare. An empty order list allows any. */
function insistOnOrder(order: readonly unknown[], given: readonly unknown[], key: string | undefined): void {
  if (order.length === 0) return;
  const identity = identityBy(key);
  const kept = given.filter(isKept);
  let at = 0;
  for (const one of order) {
    const item = kept[at];
    if (key !== undefined && isJsonObject(item)) keyOf(item, key);
    if (at < kept.length && identity(item) === identity(one)) at++;
  }
  if (at < kept.length) throw otherOrder(given, order);
}

/** How two lists of scalars become one. */
type Combine = (live: readonly unknown[], patch: readonly unknown[]) => unknown[];

const UNION: Combine = (live, patch) => orderItems([...new Set([...live, ...patch])], patch, live, identityBy(undefined));

const DIFFERENCE: Combine = (live, patch) => {
  const gone = new Set(patch);
  return live.filter((item) => !gone.has(item));
};

function mergeList(course: Course, facts: FieldFacts, type: Type | undefined, live: readonly unknown[], patch: readonly unknown[], combine = UNION): unknown[] {
  const items = [...live, ...patch];
  look(course, items.length);
  const shape = shapeOf(items[0]);
  if (shape === 'array') throw listOfLists();
  if (items.some((item) => shapeOf(item) !== shape)) throw mixedItems(live, patch);
  if (shape !== 'object') return combine(live, patch);
  const key = facts.patch?.key;
  if (key === undefined) throw withoutReason('cannot merge lists of objects without a merge key');
  return mergeKeyed(course, key, type?.is === 'list' ? type.of : undefined, live as readonly JsonObject[], patch as readonly JsonObject[]);
}

function mergeKeyed(course: Course, key: string, item: Type | undefined, live: readonly JsonObject[], patch: readonly JsonObject[]): unknown[] {
  const { left, given, isReplaced } = readDirectives(key, live, patch);
  if (isReplaced) return inOrderOf(given, given, [], key);
  const merged = [...left];
  const placeOf = new Map<unknown, number>();
  for (const [at, one] of left.entries()) if (!placeOf.has(memberOf(one, key))) placeOf.set(memberOf(one, key), at);
  for (const one of given) {
    const value = keyOf(one, key);
    const at = placeOf.get(value);
    if (at === undefined) placeOf.set(value, merged.push(one) - 1);
    else merged[at] = mergeObject(course, item, merged[at]!, one);
  }
  return inOrderOf(merged, given, left, key);
}

/** Sorts items by their merge key. Throws for any item without the key, even one that was there before. */
function inOrderOf(items: readonly JsonObject[], wanted: readonly unknown[], live: readonly unknown[], key: string): unknown[] {
  for (const item of items) keyOf(item, key);
  return orderItems(items, wanted, live, identityBy(key));
}

function keyOf(item: JsonObject, key: string): unknown {
  const value = memberOf(item, key);
  if (value === undefined) throw noMergeKey(key, item);
  return value;
}

/** Separates directives from the items of the patch, and executes them. */
function readDirectives(
  key: string,
  live: readonly JsonObject[],
  patch: readonly JsonObject[],
): { left: readonly JsonObject[]; given: readonly JsonObject[]; isReplaced: boolean } {
  const gone = new Set<unknown>();
  let isReplaced = false;
  const given = patch.filter((item) => {
    const directive = memberOf(item, DIRECTIVE);
    if (directive === undefined) return true;
    if (directive === 'delete') {
      gone.add(keyOf(item, key));
    } else if (directive === 'replace') {
      isReplaced = true;
    } else if (directive === 'merge') {
      throw withoutReason('merging lists cannot yet be specified in the patch');
    } else {
      throw unknownDirective(directive, item);
    }
    return false;
  });
  return { left: gone.size === 0 ? live : live.filter((one) => !gone.has(memberOf(one, key))), given, isReplaced };
}
