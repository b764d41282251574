import { isJsonObject, jsonText } from '#base';
import { fieldElement, fieldNameOf, valueIn, type PathElement } from './element.ts';

/** The path from the root of an object to a field or list item. */
export type Path = readonly PathElement[];

/** A path of field names. */
export const pathOf = (...names: readonly string[]): Path => names.map(fieldElement);

/** A path in the form of conflict messages: `.spec.ports[port=80,protocol="TCP"].name`. */
export const formatPath = (path: Path): string => path.map(formatElement).join('');

/** One path element in the form of conflict messages: `.name`, `[port=80]`, `[="a"]`, `[3]`. */
export function formatElement(element: PathElement): string {
  switch (element.charAt(0)) {
    case 'f':
      return `.${fieldNameOf(element)}`;
    case 'k': {
      const keys = valueIn(element);
      const pairs = isJsonObject(keys) ? Object.entries(keys) : [];
      return `[${pairs.map(([name, value]) => `${name}=${jsonText(value)}`).join(',')}]`;
    }
    case 'v':
      return `[=${jsonText(valueIn(element))}]`;
    default:
      return `[${element.slice(2)}]`;
  }
}
