import { isJsonObject, Told } from '#base';
import type { MessageType, Type } from '../field.ts';
import { showPath, type PathElement } from './decode-failure.ts';

/** Paths of what is unknown, of very many the first. */
export class UnknownPaths {
  readonly found: string[] = [];
  readonly #told = new Told();

  add(path: readonly PathElement[]): void {
    if (this.#told.isEnough) return;
    const text = showPath(path);
    this.#told.add(text.length);
    this.found.push(text);
  }
}

/** Paths of members the type does not know, in the order of the document; of very many the first. `decode` drops them. The value must fit the type. */
export function unknownFields(type: MessageType, value: Record<string, unknown>): readonly string[] {
  if (type.open !== undefined) return type.open.unknownFields(value);
  const paths = new UnknownPaths();
  walkMessage(type, value, [], paths);
  return paths.found;
}

/** `path` is the same when a walk is over as when it began. */
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
    // A message with a form of its own names no member that is not known.
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
