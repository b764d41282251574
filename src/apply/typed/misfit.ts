import { FaultBudget, isJsonObject, type JsonObject } from '#base';
import { goPlain, goTypeOf, goUntypedText } from '#errors';
import { additionalOf, OBJECT_HEAD, type FieldFacts, type MessageType, type ScalarName, type Structural, type Type } from '#schema';
import { fieldElement, indexElement, type PathElement } from '../fieldpath/element.ts';
import { formatElement, formatPath } from '../fieldpath/path.ts';
import { hidesLists } from './hidden-lists.ts';
import { elementOf } from './list-items.ts';
import { StructureFailure } from './structure-failure.ts';
import { listOfSchema } from './structure-of-schema.ts';
import type { ItemList } from './structure-form.ts';
import { listOf } from './structure.ts';

/**
 * Why an object does not fit a type or has members that are not declared; undefined: it fits. Checks what kind of JSON each value is, not what it
 * says: quantities and times are checked where the object is decoded. Items of lists must have their keys even where the list is inside of an atomic
 * value.
 */
export const misfitOf = (type: MessageType, object: JsonObject): string | undefined => misfitsIn(type, object, true);

/** The same for a stored object, whose members are all declared. */
export const storedMisfitOf = (type: MessageType, object: JsonObject): string | undefined => misfitsIn(type, object, false);

/** The same, but undefined, and at no cost, for types where all that can be wrong with a decoded object are lists which `compare` and `merge` refuse anyway. */
export const hiddenMisfitOf = (type: MessageType, object: JsonObject): string | undefined =>
  type.open === undefined && !hidesLists(type) ? undefined : storedMisfitOf(type, object);

function misfitsIn(type: MessageType, object: JsonObject, seeksUndeclared: boolean): string | undefined {
  const walk = new MisfitWalk(type, seeksUndeclared);
  walk.whole(object);
  const { misfits } = walk;
  return misfits.length > 1 ? `errors:\n  ${misfits.join('\n  ')}` : misfits[0];
}

const UNDECLARED = 'field not declared in schema';
/** Deeper values are refused, so that no recursion over them can exhaust the stack. */
const MAX_DEPTH = 256;

/** What a value of a type must be, and how the message shows one that is not: Go shows values in different ways. */
interface Wanted {
  readonly fits: (value: unknown) => boolean;
  readonly tell: (value: unknown) => string;
}

const NUMBER: Wanted = {
  fits: (value) => typeof value === 'number' || typeof value === 'bigint',
  tell: (value) => `expected numeric (int or float), got ${goTypeOf(value)}`,
};
const TEXT: Wanted = { fits: (value) => typeof value === 'string', tell: (value) => `expected string, got &value.valueUnstructured{Value:${goUntypedText(value)}}` };
const TRUTH: Wanted = { fits: (value) => typeof value === 'boolean', tell: (value) => `expected boolean, got &{${goPlain(value)}}` };
const MEMBERS: Wanted = { fits: isJsonObject, tell: (value) => `expected map, got &{${goPlain(value)}}` };
const ITEMS: Wanted = { fits: Array.isArray, tell: (value) => `expected list, got &{${goPlain(value)}}` };

const BY_NAME: ReadonlyMap<string, Wanted> = new Map([
  ['object', MEMBERS],
  ['array', ITEMS],
  ['string', TEXT],
  ['boolean', TRUTH],
  ['integer', NUMBER],
  ['number', NUMBER],
]);

/** Scalars that are not here are checked when the object is decoded. */
const BY_SCALAR: ReadonlyMap<ScalarName, Wanted> = new Map([
  ['string', TEXT],
  ['bytes', TEXT],
  ['fieldsV1', MEMBERS],
  ['bool', TRUTH],
  ['int32', NUMBER],
  ['int64', NUMBER],
  ['double', NUMBER],
]);

/** Absent members fit, and so does null. */
class MisfitWalk {
  readonly misfits: string[] = [];
  readonly #type: MessageType;
  readonly #seeksUndeclared: boolean;
  readonly #path: PathElement[] = [];
  readonly #budget = new FaultBudget();

  constructor(type: MessageType, seeksUndeclared: boolean) {
    this.#type = type;
    this.#seeksUndeclared = seeksUndeclared;
  }

  whole(object: JsonObject): void {
    const { open } = this.#type;
    if (open === undefined) this.#message(this.#type, object);
    else this.#membersOfSchema({ ...open.schema, isEmbedded: true }, object);
  }

  #tell(why: () => string): void {
    this.#add(() => `${this.#path.length === 0 ? '.' : formatPath(this.#path)}: ${why()}`);
  }

  #add(misfit: () => string): void {
    if (this.#budget.isEnough) return;
    const text = misfit();
    this.#budget.add(text.length);
    this.misfits.push(text);
  }

  #isOf(wanted: Wanted | undefined, value: unknown): boolean {
    if (this.#path.length > MAX_DEPTH) this.#tell(() => `at most ${MAX_DEPTH} levels`);
    else if (wanted === undefined || wanted.fits(value)) return true;
    else this.#tell(() => wanted.tell(value));
    return false;
  }

  #message(type: MessageType, value: JsonObject): void {
    // Checked where such a value is decoded.
    if (type.form !== undefined) return;
    for (const name of Object.keys(value)) {
      const facts = type.fields.get(name);
      this.#path.push(fieldElement(name));
      if (facts === undefined) this.#tell(() => UNDECLARED);
      else this.#value(facts.type, value[name], facts);
      this.#path.pop();
    }
  }

  /** `facts`: those of the field whose value this is; absent for an item or a map entry. */
  #value(type: Type, value: unknown, facts?: FieldFacts): void {
    if (value === null || value === undefined) return;
    switch (type.is) {
      case 'scalar':
        this.#isOf(BY_SCALAR.get(type.scalar.name), value);
        break;
      case 'message': {
        const message = type.message();
        if (message.form === undefined && this.#isOf(MEMBERS, value)) this.#message(message, value as JsonObject);
        break;
      }
      case 'map':
        if (this.#isOf(MEMBERS, value)) this.#entries(type.of, value as JsonObject);
        break;
      case 'list':
        if (this.#isOf(ITEMS, value)) this.#items(facts === undefined ? undefined : listOf(facts), value as readonly unknown[], (item) => this.#value(type.of, item));
        break;
    }
  }

  #entries(of: Type, value: JsonObject): void {
    for (const key of Object.keys(value)) {
      this.#path.push(fieldElement(key));
      this.#value(of, value[key]);
      this.#path.pop();
    }
  }

  /** `list`: the keys of the items; undefined: they are known by position. Behind an item without its key nothing is reported. */
  #items(list: ItemList | undefined, value: readonly unknown[], visit: (item: unknown) => void): void {
    const seen = list === undefined ? undefined : new Set<PathElement>();
    for (const [at, item] of value.entries()) {
      const element = this.#elementOf(list, item, at);
      if (element === undefined) return;
      if (seen?.has(element) === true) this.#tell(() => `duplicate entries for key ${formatElement(element)}`);
      seen?.add(element);
      this.#path.push(element);
      visit(item);
      this.#path.pop();
    }
  }

  #elementOf(list: ItemList | undefined, item: unknown, at: number): PathElement | undefined {
    if (list === undefined) return indexElement(at);
    try {
      return elementOf(list, item, at, this.#path);
    } catch (error) {
      if (!(error instanceof StructureFailure)) throw error;
      this.#add(() => error.message);
      return undefined;
    }
  }

  #schemaValue(schema: Structural, value: unknown): void {
    if (value === null || value === undefined || schema.props['x-kubernetes-int-or-string'] === true) return;
    if (!this.#isOf(BY_NAME.get(schema.props.type ?? ''), value)) return;
    const { items } = schema;
    if (Array.isArray(value)) {
      if (items !== undefined) this.#items(listOfSchema(schema), value, (item) => this.#schemaValue(items, item));
    } else if (isJsonObject(value)) {
      this.#membersOfSchema(schema, value);
    }
  }

  #membersOfSchema(schema: Structural, value: JsonObject): void {
    const mayBeAnything = schema.additional !== undefined || schema.isWithinUnknown || (schema.properties.size === 0 && !schema.isEmbedded);
    for (const name of Object.keys(value)) {
      const head = schema.isEmbedded && OBJECT_HEAD.has(name) ? this.#type.fields.get(name) : undefined;
      const part = schema.properties.get(name) ?? additionalOf(schema);
      if (head === undefined && part === undefined && (mayBeAnything || !this.#seeksUndeclared)) continue;
      this.#path.push(fieldElement(name));
      if (head !== undefined) this.#value(head.type, value[name], head);
      else if (part === undefined) this.#tell(() => UNDECLARED);
      else this.#schemaValue(part, value[name]);
      this.#path.pop();
    }
  }
}
