import { sortElements, type PathElement } from './element.ts';
import type { Path } from './path.ts';

/**
 * A node of a set of paths, which is a trie: whether the path that ends here is in the set, and the longer paths.
 * Sets are immutable; every function returns a new set that shares unchanged parts.
 * No branch is empty: each node is a member or leads to one.
 */
export interface SetNode {
  readonly isMember: boolean;
  readonly children: FieldSet;
}

/** A set of paths, by their first elements. */
export type FieldSet = ReadonlyMap<PathElement, SetNode>;

/** The empty set. */
export const EMPTY_SET: FieldSet = new Map();

/** A member without longer paths. */
export const LEAF: SetNode = { isMember: true, children: EMPTY_SET };

/** The set of these paths. The empty path, which means the whole object, is left out: no manager owns it. */
export function setOf(...paths: readonly Path[]): FieldSet {
  const builder = new SetBuilder();
  for (const path of paths) builder.insert(path);
  return builder.finish();
}

type Growing = Map<PathElement, GrowingNode>;
/** A node under construction. Nodes without children are `LEAF` itself: most are, and their empty maps would be most of the cost of a set. */
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

/** Whether a set has no paths. */
export const isEmptySet = (set: FieldSet): boolean => set.size === 0;

/** Whether exactly this path is in the set, and not only a shorter or longer one. */
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

/** Whether both sets have the same paths. */
export function equalSets(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  for (const [element, node] of a) {
    const other = b.get(element);
    if (other === undefined || other.isMember !== node.isMember || !equalSets(node.children, other.children)) return false;
  }
  return true;
}

/** The paths of both sets. Returns one of the two itself where the other adds nothing. */
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

/** The paths of all of them. Halves are joined, so that many small sets do not copy a large one again for each. */
export function unionOf(sets: readonly FieldSet[]): FieldSet {
  if (sets.length < 2) return sets[0] ?? EMPTY_SET;
  const middle = sets.length >> 1;
  return union(unionOf(sets.slice(0, middle)), unionOf(sets.slice(middle)));
}

/** The union of two nodes; `mine` itself where `other` adds nothing. */
function joined(mine: SetNode, other: SetNode): SetNode {
  const isMember = mine.isMember || other.isMember;
  const children = union(mine.children, other.children);
  return isMember === mine.isMember && children === mine.children ? mine : { isMember, children };
}

/** The paths that are in both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a.size === 0 || b.size === 0) return EMPTY_SET;
  if (b.size < a.size) return intersection(b, a);
  const shared = new Map<PathElement, SetNode>();
  for (const [element, node] of a) {
    const other = b.get(element);
    if (other !== undefined) keep(shared, element, node.isMember && other.isMember, intersection(node.children, other.children));
  }
  return shared.size === 0 ? EMPTY_SET : shared;
}

/** The paths of `a` that are not in `b`. A path of `b` does not remove longer paths of `a`. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, false);
}

/** As `difference`, but a path of `b` also removes all longer paths of `a`. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, true);
}

function subtract(a: FieldSet, b: FieldSet, isRecursive: boolean): FieldSet {
  if (a.size === 0 || b.size === 0) return a;
  let changed: Map<PathElement, SetNode> | undefined;
  // Only what both have can differ: the smaller side says where to look.
  for (const element of a.size < b.size ? a.keys() : b.keys()) {
    const [node, other] = [a.get(element), b.get(element)];
    if (node === undefined || other === undefined) continue;
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

/** Every path of the set in order, the paths of one level before the longer ones. Each array is a new one. */
export function* pathsOf(set: FieldSet, prefix: Path = []): Generator<Path> {
  const level = sortElements([...set.keys()]).map((element) => [element, set.get(element)!] as const);
  for (const [element, node] of level) if (node.isMember) yield [...prefix, element];
  for (const [element, node] of level) if (node.children.size > 0) yield* pathsOf(node.children, [...prefix, element]);
}
