import { isJsonObject, type JsonObject, setMember } from '#base';
import { parseElement, PathElementFailure, sortElements, type PathElement } from './element.ts';
import { EMPTY_SET, LEAF, unionOf, type FieldSet, type SetNode } from './set.ts';

/** How deep a set may be nested; objects are limited to far less. */
const MAX_DEPTH = 1000;

/** Encodes a set as `fieldsV1`, with the members in the order of kube-apiserver. Returns a new object. */
export function writeFieldsV1(set: FieldSet): JsonObject {
  const fields: JsonObject = {};
  for (const element of sortElements([...set.keys()])) setMember(fields, element, writeNode(set.get(element)!));
  return fields;
}

function writeNode(node: SetNode): JsonObject {
  if (node.children.size === 0) return {};
  return node.isMember ? { '.': {}, ...writeFieldsV1(node.children) } : writeFieldsV1(node.children);
}

/**
 * Decodes `fieldsV1`. Unknown kinds of elements are skipped. Throws PathElementFailure when it is malformed.
 */
export function readFieldsV1(fields: unknown): FieldSet {
  if (fields === undefined || fields === null) return EMPTY_SET;
  if (!isJsonObject(fields)) throw new PathElementFailure('a set of fields must be a JSON object');
  return readLevel(fields, 0);
}

function readLevel(fields: JsonObject, depth: number): FieldSet {
  if (depth > MAX_DEPTH) throw new PathElementFailure('a set of fields is nested too deeply');
  const set = new Map<PathElement, SetNode>();
  let repeated: Map<PathElement, SetNode[]> | undefined;
  for (const text in fields) {
    if (text === '.') continue;
    const element = parseElement(text);
    if (element === undefined) continue;
    const node = readNode(fields[text], depth + 1);
    const before = set.get(element);
    if (before === undefined) set.set(element, node);
    else keepRepeated((repeated ??= new Map()), element, before, node);
  }
  for (const [element, nodes] of repeated ?? []) set.set(element, joined(nodes));
  return set.size === 0 ? EMPTY_SET : set;
}

/** Keeps the nodes of an element that was written several times in different forms, of which there may be very many. */
function keepRepeated(repeated: Map<PathElement, SetNode[]>, element: PathElement, first: SetNode, node: SetNode): void {
  const nodes = repeated.get(element);
  if (nodes === undefined) repeated.set(element, [first, node]);
  else nodes.push(node);
}

const joined = (nodes: readonly SetNode[]): SetNode => ({ isMember: nodes.some(({ isMember }) => isMember), children: unionOf(nodes.map(({ children }) => children)) });

/** An element without children is a member of the set, with or without the marker `.`. */
function readNode(value: unknown, depth: number): SetNode {
  if (!isJsonObject(value)) {
    if (value === null) return LEAF;
    throw new PathElementFailure('a step of a set of fields must hold a JSON object');
  }
  const children = readLevel(value, depth);
  if (children.size === 0) return LEAF;
  return { isMember: Object.hasOwn(value, '.'), children };
}
