import { isJsonObject, type JsonObject, setMember } from '#base';
import { compareElements, parseElement, PathElementFailure, type PathElement } from './element.ts';
import { EMPTY_SET, LEAF, union, type FieldSet, type SetNode } from './set.ts';

/** How deep a set may go; objects are bounded far below this. */
const MAX_DEPTH = 1000;

/** The published `fieldsV1` form, members in the order Kubernetes writes them. The object is new. */
export function writeFieldsV1(set: FieldSet): JsonObject {
  const fields: JsonObject = {};
  const elements = [...set.keys()];
  if (elements.length > 1) elements.sort(compareElements);
  for (const element of elements) setMember(fields, element, writeNode(set.get(element)!));
  return fields;
}

function writeNode(node: SetNode): JsonObject {
  if (node.children.size === 0) return {};
  return node.isMember ? { '.': {}, ...writeFieldsV1(node.children) } : writeFieldsV1(node.children);
}

/**
 * Reads the `fieldsV1` form. Steps of unknown kinds are left out. Throws PathElementFailure when it is malformed.
 */
export function readFieldsV1(fields: unknown): FieldSet {
  if (fields === undefined || fields === null) return EMPTY_SET;
  if (!isJsonObject(fields)) throw new PathElementFailure('a set of fields must be a JSON object');
  return readLevel(fields, 0);
}

function readLevel(fields: JsonObject, depth: number): FieldSet {
  if (depth > MAX_DEPTH) throw new PathElementFailure('a set of fields is nested too deeply');
  const set = new Map<PathElement, SetNode>();
  for (const text in fields) {
    if (text === '.') continue;
    const element = parseElement(text);
    if (element === undefined) continue;
    const node = readNode(fields[text], depth + 1);
    const before = set.get(element);
    set.set(element, before === undefined ? node : merge(before, node));
  }
  return set.size === 0 ? EMPTY_SET : set;
}

/** A step with nothing below is a member, whether it says so or not. */
function readNode(value: unknown, depth: number): SetNode {
  if (!isJsonObject(value)) {
    if (value === null) return LEAF;
    throw new PathElementFailure('a step of a set of fields must hold a JSON object');
  }
  const children = readLevel(value, depth);
  if (children.size === 0) return LEAF;
  return { isMember: Object.hasOwn(value, '.'), children };
}

/** The same step was written twice with different spelling. */
const merge = (a: SetNode, b: SetNode): SetNode => ({ isMember: a.isMember || b.isMember, children: union(a.children, b.children) });
