import { isJsonObject, type JsonObject } from '#base';
import type { FieldFacts, MessageType, Type } from '#schema';
import { elementOf } from './list-items.ts';
import type { ItemList } from './structure-form.ts';
import { StructureFailure } from './structure-failure.ts';
import { listOf } from './structure.ts';

/**
 * Whether a list in a decoded object has two items of the same key, or one without its key. Visits only what leads to such lists: of most objects that
 * is little more than the metadata.
 */
export function hasMisnamedItems(type: MessageType, object: JsonObject): boolean {
  for (const { name, facts, list, leadsOn } of stepsOf(type)) {
    const value = object[name];
    if (value === undefined || value === null) continue;
    if (list !== undefined && isMisnamed(list, value)) return true;
    if (leadsOn && isMisnamedBelow(facts.type, value)) return true;
  }
  return false;
}

/** A field that is such a list, or leads on to some. */
interface Step {
  readonly name: string;
  readonly facts: FieldFacts;
  readonly list: ItemList | undefined;
  readonly leadsOn: boolean;
}

const known = new WeakMap<MessageType, readonly Step[]>();

function stepsOf(type: MessageType): readonly Step[] {
  let steps = known.get(type);
  if (steps === undefined) {
    const all = type.form === undefined ? [...type.fields].map(([name, facts]) => ({ name, facts, list: listOf(facts), leadsOn: leads(facts.type, new Set()) })) : [];
    known.set(type, (steps = all.filter(({ list, leadsOn }) => list !== undefined || leadsOn)));
  }
  return steps;
}

/** `seen`: types may be recursive. */
function leads(type: Type, seen: Set<MessageType>): boolean {
  if (type.is === 'scalar') return false;
  if (type.is !== 'message') return leads(type.of, seen);
  const message = type.message();
  if (seen.has(message) || message.form !== undefined) return false;
  seen.add(message);
  return [...message.fields.values()].some((facts) => listOf(facts) !== undefined || leads(facts.type, seen));
}

function isMisnamedBelow(type: Type, value: unknown): boolean {
  if (type.is === 'scalar' || typeof value !== 'object' || value === null) return false;
  if (type.is === 'message') return hasMisnamedItems(type.message(), value as JsonObject);
  const parts = isJsonObject(value) ? Object.values(value) : (value as readonly unknown[]);
  return parts.some((part) => isMisnamedBelow(type.of, part));
}

function isMisnamed(list: ItemList, value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  try {
    return new Set(value.map((item: unknown, at) => elementOf(list, item, at, []))).size < value.length;
  } catch (error) {
    if (error instanceof StructureFailure) return true;
    throw error;
  }
}
