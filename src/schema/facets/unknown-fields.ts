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

/**
 * Paths of members the schema does not know, in the order of the document. Walks everything once more, so it is asked only when
 * there are some. The value must fit the type.
 */
export function findUnknownFields(type: MessageType, value: Record<string, unknown>): readonly string[] {
  const paths = new UnknownPaths();
  walkMessage(type, value, [], paths);
  return paths.found;
}

function walkMessage(type: MessageType, value: Record<string, unknown>, path: readonly PathElement[], found: UnknownPaths): void {
  for (const [key, member] of Object.entries(value)) {
    const facts = type.fields.get(key);
    if (facts === undefined) found.add([...path, key]);
    else walk(facts.type, member, [...path, key], found);
  }
}

function walk(type: Type, value: unknown, path: readonly PathElement[], found: UnknownPaths): void {
  if (type.is === 'message' && isJsonObject(value)) {
    // A message with a form of its own names no member that is not known.
    if (type.message().form === undefined) walkMessage(type.message(), value, path, found);
  } else if (type.is === 'list' && Array.isArray(value) && type.of.is !== 'scalar') {
    const { of } = type;
    value.forEach((item: unknown, position) => walk(of, item, [...path, position], found));
  } else if (type.is === 'map' && isJsonObject(value) && type.of.is !== 'scalar') {
    const { of } = type;
    for (const [key, item] of Object.entries(value)) walk(of, item, [...path, key], found);
  }
}
