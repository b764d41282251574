import { isJsonObject, type JsonObject, memberOf } from '#base';

/** A member or item of a document, which need not exist: the object or list that holds it, and its name or index there. */
export interface Place {
  readonly holder: JsonObject | unknown[];
  readonly name: string;
}

/** The reference tokens of a JSON pointer (RFC 6901): `/a~1b/c~0d` gives `a/b`, `c~d`. Text before the first `/` is ignored. */
export const parsePointer = (pointer: string): readonly string[] => pointer.split('/').slice(1).map(unescape);

const unescape = (step: string): string => (step.includes('~') ? step.replaceAll('~1', '/').replaceAll('~0', '~') : step);

/** How deep the place of a pointer is: the number of its tokens. */
export const levelOf = (pointer: string): number => parsePointer(pointer).length;

/** The place that a pointer refers to; undefined when its parent is not an object or a list, and for a pointer without tokens. */
export function locate(document: unknown, pointer: string): Place | undefined {
  const steps = parsePointer(pointer);
  const name = steps.at(-1);
  if (name === undefined) return undefined;
  let holder: unknown = document;
  for (let at = 0; at < steps.length - 1; at++) {
    holder = valueAt(holder, steps[at]!);
  }
  return isJsonObject(holder) || Array.isArray(holder) ? { holder, name } : undefined;
}

/** A member or item of an object or list; undefined when there is none. */
export function valueAt(holder: unknown, name: string): unknown {
  if (isJsonObject(holder)) return memberOf(holder, name);
  if (!Array.isArray(holder)) return undefined;
  const index = itemIndex(name, holder.length);
  return index === undefined ? undefined : (holder[index] as unknown);
}

/** Parses a list index below `length`; negative numbers count from the end. undefined: it is not one. */
export function itemIndex(name: string, length: number): number | undefined {
  if (!/^[+-]?\d{1,9}$/.test(name)) return undefined;
  const given = Number(name);
  const index = given < 0 ? given + length : given;
  return index >= 0 && index < length ? index : undefined;
}
