import { compareUtf8, isJsonObject, KnownTexts, memberOf, ownText } from '#base';
import { keyElementOf, keyPart, valueElement, type PathElement } from '../fieldpath/element.ts';
import { formatElement, type Path } from '../fieldpath/path.ts';
import type { ItemList, KeyedList } from './structure-form.ts';
import { StructureFailure } from './structure-failure.ts';

const NONE: ReadonlyMap<PathElement, unknown> = new Map();

/**
 * The items of a list by what tells them apart, in their order. Anything but a list has none.
 * Throws StructureFailure when an item has no identity or two have the same.
 */
export function itemsOf(list: ItemList, value: unknown, path: Path): ReadonlyMap<PathElement, unknown> {
  if (!Array.isArray(value) || value.length === 0) return NONE;
  const items = new Map<PathElement, unknown>();
  for (const [at, item] of value.entries()) {
    const element = elementOf(list, item, at, path);
    if (items.has(element)) throw new StructureFailure(path, `duplicate entries for key ${formatElement(element)}`);
    items.set(element, item);
  }
  return items;
}

/** Throws StructureFailure when the item has no identity. */
export function elementOf(list: ItemList, item: unknown, at: number, path: Path): PathElement {
  return list.is === 'set' ? scalarElement(item, at, path) : keyedElement(list, item, at, path);
}

function scalarElement(item: unknown, at: number, path: Path): PathElement {
  if (typeof item === 'object' || item === undefined) throw new StructureFailure(path, `element ${at}: ${noScalar(item)}`);
  return valueElement(item);
}

function noScalar(item: object | null | undefined): string {
  if (Array.isArray(item)) return 'not supported: associative list with lists as elements';
  return `associative list without keys has an element that's ${isJsonObject(item) ? 'a map type' : 'an explicit null'}`;
}

function keyedElement(list: KeyedList, item: unknown, at: number, path: Path): PathElement {
  if (!isJsonObject(item)) throw new StructureFailure(path, `element ${at}: associative list with keys may not have ${item === null ? 'a null element' : 'non-map elements'}`);
  const { keys, only, known } = namingOf(list);
  const text = only === undefined ? undefined : memberOf(item, only);
  if (typeof text === 'string') return known.of(text);
  let parts = '';
  for (const { name, fallback } of keys) {
    // A key that is null is not left out: an item is told apart by what its applier said.
    const said = memberOf(item, name);
    const value = said === undefined ? fallback : said;
    if (value === undefined) {
      const missing = list.keys.find((key) => memberOf(item, key.name) === undefined && key.fallback === undefined)?.name ?? name;
      throw new StructureFailure(path, `element ${at}: associative list with keys has an element that omits key field ${JSON.stringify(missing)} (and doesn't have default value)`);
    }
    parts += parts === '' ? keyPart(name, value) : `,${keyPart(name, value)}`;
  }
  return keyElementOf(parts);
}

interface Naming {
  /** As steps name them: sorted once for each list type. */
  readonly keys: KeyedList['keys'];
  /** The key where there is one alone. */
  readonly only: string | undefined;
  /** Steps by the text of that: the same names come again and again, and a text that is made anew is read to be found. */
  readonly known: KnownTexts<PathElement>;
}

const namings = new WeakMap<KeyedList, Naming>();
const KNOWN = { max: 1_000, maxLength: 64 };

function namingOf(list: KeyedList): Naming {
  let naming = namings.get(list);
  if (naming === undefined) {
    const keys = [...list.keys].sort((a, b) => compareUtf8(a.name, b.name));
    const only = keys.length === 1 ? keys[0]?.name : undefined;
    const known = new KnownTexts(KNOWN, (text) => ownText(keyElementOf(keyPart(only ?? '', text))));
    namings.set(list, (naming = { keys, only, known }));
  }
  return naming;
}
