import { compareElements, type PathElement } from './element.ts';
import type { Path } from './path.ts';

/**
 * A set of paths as a trie. A node says whether the path that ends here is in the set, and holds the paths that go on.
 * Values are never changed once handed out; every function gives a new set and shares what stayed the same.
 * No branch is empty: a node is a member or leads to one.
 */
export interface SetNode {
  readonly isMember: boolean;
  readonly children: FieldSet;
}

/** The first steps of the paths in a set. */
export type FieldSet = ReadonlyMap<PathElement, SetNode>;

/** The set of no path. */
export const EMPTY_SET: FieldSet = new Map();

/** A member without anything below. */
export const LEAF: SetNode = { isMember: true, children: EMPTY_SET };

/** The set of these paths. The empty path names the whole object, which nobody owns, and is left out. */
export function setOf(...paths: readonly Path[]): FieldSet {
  const builder = new SetBuilder();
  for (const path of paths) builder.insert(path);
  return builder.finish();
}

type Growing = Map<PathElement, GrowingNode>;
/** `LEAF` is one, too: most nodes are, and maps that stay empty would be most of what a set costs. */
interface GrowingNode {
  isMember: boolean;
  readonly children: Growing;
}

/** Collects paths into a set. */
export class SetBuilder {
  #root: Growing | undefined;

  insert(path: Path, length = path.length): void {
    if (length === 0) return;
    let level = (this.#root ??= new Map());
    for (let at = 0; at < length - 1; at++) {
      const element = path[at]!;
      let node = level.get(element);
      if (node === undefined || node === LEAF) {
        node = { isMember: node !== undefined, children: new Map() };
        level.set(element, node);
      }
      level = node.children;
    }
    const last = path[length - 1]!;
    const node = level.get(last);
    if (node === undefined) level.set(last, LEAF);
    else if (!node.isMember) node.isMember = true;
  }

  /** The collected set; the builder must not be used again. */
  finish(): FieldSet {
    return this.#root ?? EMPTY_SET;
  }
}

/** Whether there is no path in it. */
export const isEmptySet = (set: FieldSet): boolean => set.size === 0;

/** Whether this very path is in it; one above or below does not count. */
export function hasPath(set: FieldSet, path: Path): boolean {
  let level = set;
  for (let at = 0; at < path.length; at++) {
    const node = level.get(path[at]!);
    if (node === undefined) return false;
    if (at === path.length - 1) return node.isMember;
    level = node.children;
  }
  return false;
}

/** Whether both have the same paths. */
export function equalSets(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  for (const [element, node] of a) {
    const other = b.get(element);
    if (other === undefined || other.isMember !== node.isMember || !equalSets(node.children, other.children)) return false;
  }
  return true;
}

/** The paths of both; one of the two itself where the other adds nothing. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || b.size === 0) return a;
  if (a.size === 0) return b;
  let all: Map<PathElement, SetNode> | undefined;
  for (const [element, node] of b) {
    const mine = a.get(element);
    const both = mine === undefined ? node : joined(mine, node);
    if (both !== mine) (all ??= new Map(a)).set(element, both);
  }
  return all ?? a;
}

/** `mine`, where it says it all. */
function joined(mine: SetNode, other: SetNode): SetNode {
  const isMember = mine.isMember || other.isMember;
  const children = union(mine.children, other.children);
  return isMember === mine.isMember && children === mine.children ? mine : { isMember, children };
}

/** The paths that both have. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a.size === 0 || b.size === 0) return EMPTY_SET;
  const shared = new Map<PathElement, SetNode>();
  for (const [element, node] of a) {
    const other = b.get(element);
    if (other !== undefined) keep(shared, element, node.isMember && other.isMember, intersection(node.children, other.children));
  }
  return shared.size === 0 ? EMPTY_SET : shared;
}

/** What is in `a` and not in `b`; a path of `b` takes nothing below it away. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, false);
}

/** As difference, and a path of `b` takes everything below it away. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, true);
}

function subtract(a: FieldSet, b: FieldSet, isRecursive: boolean): FieldSet {
  if (a.size === 0 || b.size === 0) return a;
  let changed: Map<PathElement, SetNode> | undefined;
  // The smaller side decides which elements can differ.
  for (const [element, other] of b) {
    const node = a.get(element);
    if (node === undefined) continue;
    const children = isRecursive && other.isMember ? EMPTY_SET : subtract(node.children, other.children, isRecursive);
    const isMember = node.isMember && !other.isMember;
    if (isMember === node.isMember && children === node.children) continue;
    changed ??= new Map(a);
    if (isMember || children.size > 0) changed.set(element, { isMember, children });
    else changed.delete(element);
  }
  if (changed === undefined) return a;
  return changed.size === 0 ? EMPTY_SET : changed;
}

function keep(into: Map<PathElement, SetNode>, element: PathElement, isMember: boolean, children: FieldSet): void {
  if (isMember || children.size > 0) into.set(element, { isMember, children });
}

/** Every path of the set in order, those of one level before those below it. The array handed out is the caller's. */
export function* pathsOf(set: FieldSet, prefix: Path = []): Generator<Path> {
  const level = [...set].sort(([a], [b]) => compareElements(a, b));
  for (const [element, node] of level) if (node.isMember) yield [...prefix, element];
  for (const [element, node] of level) if (node.children.size > 0) yield* pathsOf(node.children, [...prefix, element]);
}
