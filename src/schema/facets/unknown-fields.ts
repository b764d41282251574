import { FaultBudget, isJsonObject } from '#base';
import type { MessageType, Type } from '../field.ts';
import { showPath, type PathElement } from './decode-failure.ts';

/** Collects paths of unknown fields, up to a maximum. */
export class UnknownPaths {
  readonly found: string[] = [];
  readonly #budget = new FaultBudget();

  add(path: readonly PathElement[]): void {
    if (this.#budget.isEnough) return;
    const text = showPath(path);
    this.#budget.add(text.length);
    this.found.push(text);
  }
}

/** Paths of fields the type does not have, in document order, up to a maximum. `decode` drops these fields. The value must fit the type. */
export function unknownFields(type: MessageType, value: Record<string, unknown>): readonly string[] {
  if (type.open !== undefined) return type.open.unknownFields(value);
  const paths = new UnknownPaths();
  walkMessage(type, value, [], paths);
  return paths.found;
}

/** `path` is restored when the walk ends. */
function walkMessage(type: MessageType, value: Record<string, unknown>, path: PathElement[], found: UnknownPaths): void {
  for (const key of Object.keys(value)) {
    const facts = type.fields.get(key);
    path.push(key);
    if (facts === undefined) found.add(path);
    else walk(facts.type, value[key], path, found);
    path.pop();
  }
}

function walk(type: Type, value: unknown, path: PathElement[], found: UnknownPaths): void {
  if (type.is === 'message' && isJsonObject(value)) {
    // A message with a decoder of its own has no unknown fields.
    if (type.message().form === undefined) walkMessage(type.message(), value, path, found);
  } else if (type.is === 'list' && Array.isArray(value) && type.of.is !== 'scalar') {
    for (const [position, item] of value.entries()) walkPart(type.of, position, item, path, found);
  } else if (type.is === 'map' && isJsonObject(value) && type.of.is !== 'scalar') {
    for (const key of Object.keys(value)) walkPart(type.of, key, value[key], path, found);
  }
}

function walkPart(type: Type, at: PathElement, part: unknown, path: PathElement[], found: UnknownPaths): void {
  path.push(at);
  walk(type, part, path, found);
  path.pop();
}
