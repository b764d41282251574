import { isJsonObject } from '#base';
import { fieldElement, fieldNameOf, type PathElement } from './element.ts';

/** The way from the root of an object to one of its parts. */
export type Path = readonly PathElement[];

/** A path of member names. */
export const pathOf = (...names: readonly string[]): Path => names.map(fieldElement);

/** The form that conflict messages use: `.spec.ports[port=80,protocol="TCP"].name`. */
export const formatPath = (path: Path): string => path.map(formatElement).join('');

export function formatElement(element: PathElement): string {
  const rest = element.slice(2);
  switch (element.charAt(0)) {
    case 'f':
      return `.${fieldNameOf(element)}`;
    case 'k': {
      const keys: unknown = JSON.parse(rest);
      const pairs = isJsonObject(keys) ? Object.entries(keys) : [];
      return `[${pairs.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(',')}]`;
    }
    case 'v':
      return `[=${JSON.stringify(JSON.parse(rest))}]`;
    default:
      return `[${rest}]`;
  }
}
