import { isJsonObject, type JsonObject, memberOf } from '#base';

/** A member or item inside a document: what holds it, and its name there. */
export interface Place {
  readonly holder: JsonObject | unknown[];
  readonly name: string;
}

/** RFC 6901: `/a~1b/c~0d` → `a/b`, `c~d`. What stands before the first `/` is not looked at; without one there are no steps. */
const parsePointer = (pointer: string): readonly string[] => pointer.split('/').slice(1).map(unescape);

const unescape = (step: string): string => (step.includes('~') ? step.replaceAll('~1', '/').replaceAll('~0', '~') : step);

/** Where the pointer leads; undefined when what should hold it is not there, and for a pointer without steps. */
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

/** Undefined when there is no such member or item. */
export function valueAt(holder: unknown, name: string): unknown {
  if (isJsonObject(holder)) return memberOf(holder, name);
  if (!Array.isArray(holder)) return undefined;
  const index = itemIndex(name, holder.length);
  return index === undefined ? undefined : (holder[index] as unknown);
}

/** A place below `length`; negative numbers count from the end. */
export function itemIndex(name: string, length: number): number | undefined {
  if (!/^[+-]?\d{1,9}$/.test(name)) return undefined;
  const given = Number(name);
  const index = given < 0 ? given + length : given;
  return index >= 0 && index < length ? index : undefined;
}
