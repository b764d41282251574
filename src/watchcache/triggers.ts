import { PrefixIndex } from '#base';
import { valueOfField, type ApiObject, type FieldValue } from '#api';
import type { ChangeEvents, Key, Stored } from '#storage';

/** What a change must have to concern a watch: a key under the prefix and, where its selector asks for one, a field with one value. */
export interface Trigger {
  readonly prefix: Key;
  readonly required?: FieldValue | undefined;
}

/** Finds those whom a change may concern among many, without looking at the others. */
export class Triggers<T> {
  /** Those that ask for no field. */
  readonly #anyValue = new PrefixIndex<T>();
  /** The others, by field and by value. */
  readonly #byField = new Map<string, Map<string, PrefixIndex<T>>>();

  add({ prefix, required }: Trigger, item: T): void {
    (required === undefined ? this.#anyValue : this.#indexOf(required)).add(prefix, item);
  }

  remove({ prefix, required }: Trigger, item: T): void {
    if (required === undefined) return this.#anyValue.remove(prefix, item);
    const values = this.#byField.get(required.key);
    const index = values?.get(required.value);
    if (values === undefined || index === undefined) return;
    index.remove(prefix, item);
    if (index.isEmpty) values.delete(required.value);
    if (values.size === 0) this.#byField.delete(required.key);
  }

  /** Visits those that have the object in their sight before the change, or after it: each once. */
  concerned<O extends ApiObject>({ key, before, after }: Pick<ChangeEvents<O>, 'key' | 'before' | 'after'>, visit: (item: T) => void): void {
    this.#anyValue.matching(key, visit);
    for (const [field, values] of this.#byField) {
      const old = valueIn(before, field);
      const next = valueIn(after, field);
      if (old !== undefined) values.get(old)?.matching(key, visit);
      if (next !== undefined && next !== old) values.get(next)?.matching(key, visit);
    }
  }

  #indexOf({ key, value }: FieldValue): PrefixIndex<T> {
    let values = this.#byField.get(key);
    if (values === undefined) this.#byField.set(key, (values = new Map()));
    let index = values.get(value);
    if (index === undefined) values.set(value, (index = new PrefixIndex()));
    return index;
  }
}

const valueIn = (stored: Stored | undefined, field: string): string | undefined => stored && valueOfField(stored.fields, field);
