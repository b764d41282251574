import { compareUtf8, isJsonObject, KnownTexts, memberOf, ownText } from '#base';
import { keyElementOf, keyPart, valueElement, type PathElement } from '../fieldpath/element.ts';
import { formatElement, type Path } from '../fieldpath/path.ts';
import type { ItemList, KeyedList } from './structure-form.ts';
import { StructureFailure } from './structure-failure.ts';

const NONE: ReadonlyMap<PathElement, unknown> = new Map();

/**
 * The items of a list by key or value, in their order; none where the value is no list. Throws StructureFailure where an item has no key, or two have
 * the same.
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

/** Throws StructureFailure where the item has no key. */
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
  const { keys, only, known, filledIn } = namingOf(list);
  const text = only === undefined ? undefined : memberOf(item, only);
  if (typeof text === 'string') return known.of(text);
  if (at * filledIn > MAX_FILLED_IN) throw new StructureFailure(path, `element ${at}: too many elements for keys that may be left out`);
  let parts = '';
  for (const { name, fallback } of keys) {
    // A key that is null is there: it gets no default.
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

/** How the items of a list type are identified. */
interface Naming {
  /** In the order of path elements; sorted once for each list type. */
  readonly keys: KeyedList['keys'];
  /** The key, if there is only one. */
  readonly only: string | undefined;
  /** What an item that leaves out all it may has in its step all the same, in characters. */
  readonly filledIn: number;
  /** Path elements by the value of that key: the same names occur often, and a newly made string would have to be hashed for each map look-up. */
  readonly known: KnownTexts<PathElement>;
}

/** What keys that are left out may add to the steps of one list, in characters: many small items multiply with many keys, and with long ones. */
const MAX_FILLED_IN = 4 * 1024 * 1024;

const namings = new WeakMap<KeyedList, Naming>();
const KNOWN = { max: 1_000, maxLength: 64 };

function namingOf(list: KeyedList): Naming {
  let naming = namings.get(list);
  if (naming === undefined) {
    const keys = [...list.keys].sort((a, b) => compareUtf8(a.name, b.name));
    const only = keys.length === 1 ? keys[0]?.name : undefined;
    const known = new KnownTexts(KNOWN, (text) => ownText(keyElementOf(keyPart(only ?? '', text))));
    const filledIn = keys.reduce((sum, { name, fallback }) => (fallback === undefined ? sum : sum + keyPart(name, fallback).length), 0);
    namings.set(list, (naming = { keys, only, known, filledIn }));
  }
  return naming;
}
