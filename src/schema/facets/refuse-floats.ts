import { isJsonObject, WholeFloat } from '#base';
import type { MessageType, Type } from '../field.ts';
import type { ScalarName } from '../scalars/scalar.ts';
import { DecodeFailure, showPath, type PathElement } from './decode-failure.ts';
import { wholeFloatText } from './misfit-text.ts';

/** Scalars that Go reads as integers. */
const INTEGERS: ReadonlySet<ScalarName> = new Set<ScalarName>(['int32', 'int64', 'intOrString']);

/**
 * Refuses a whole number that is written with a fraction where an integer is wanted, as Go does, the first one in the order of the document. `value` has
 * been decoded without it, and comes from `parseWholeFloats`; unlike `decode`, this takes everything else. `at`: where it stands in the root. Throws
 * `DecodeFailure`.
 */
export function refuseFloats(root: MessageType, value: unknown, at: readonly PathElement[] = []): void {
  const path = [...at];
  const found = search(at.reduce<Type | undefined>(partOf, { is: 'message', message: () => root }), value, path);
  if (found === undefined) return;
  throw new DecodeFailure(showPath(path), found.scalar, `the number ${found.literal}`, wholeFloatText(root, path, found.literal));
}

/** Leaves `path` at what it has found. */
function search(type: Type | undefined, value: unknown, path: PathElement[]): { readonly literal: string; readonly scalar: ScalarName } | undefined {
  if (type === undefined) return undefined;
  if (type.is === 'scalar') return value instanceof WholeFloat && INTEGERS.has(type.scalar.name) ? { literal: value.literal, scalar: type.scalar.name } : undefined;
  for (const [key, member] of partsOf(type, value)) {
    path.push(key);
    const found = search(partOf(type, key), member, path);
    if (found !== undefined) return found;
    path.pop();
  }
  return undefined;
}

/** The type of a member, an item or a value of a map. undefined: the message has no such member, or is one that nobody knows beforehand. */
function partOf(type: Type | undefined, key: PathElement): Type | undefined {
  if (type === undefined || type.is === 'scalar') return undefined;
  return type.is === 'message' ? type.message().fields.get(String(key))?.type : type.of;
}

function partsOf(type: Exclude<Type, { is: 'scalar' }>, value: unknown): Iterable<readonly [PathElement, unknown]> {
  if (Array.isArray(value) && type.is === 'list') return value.entries();
  const form = type.is === 'message' ? type.message().form : undefined;
  const members = form === undefined ? value : form.spread(value);
  return isJsonObject(members) && type.is !== 'list' ? Object.entries(members) : [];
}
