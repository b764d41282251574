import { jsonText } from '#base';
import type { Cause } from './api-error.ts';
import { showValue } from './go-value.ts';

const show = (value: unknown): string => showValue(value, jsonText);

/**
 * Collects what is wrong with an object, field by field.
 * One collector is shared by all children; `child`, `index` and `key` only extend the path, so validation reads like the object it checks.
 */
export class FieldErrors {
  readonly path: string;
  readonly causes: Cause[];

  constructor(path = '', causes: Cause[] = []) {
    this.path = path;
    this.causes = causes;
  }

  child(...names: readonly string[]): FieldErrors {
    const tail = names.join('.');
    return new FieldErrors(this.path === '' ? tail : `${this.path}.${tail}`, this.causes);
  }

  index(position: number): FieldErrors {
    return new FieldErrors(`${this.path}[${position}]`, this.causes);
  }

  key(name: string): FieldErrors {
    return new FieldErrors(`${this.path}[${name}]`, this.causes);
  }

  get isEmpty(): boolean {
    return this.causes.length === 0;
  }

  invalid(value: unknown, why: string): void {
    this.#add('FieldValueInvalid', `Invalid value: ${show(value)}${why === '' ? '' : `: ${why}`}`);
  }

  required(why = ''): void {
    this.#add('FieldValueRequired', why === '' ? 'Required value' : `Required value: ${why}`);
  }

  duplicate(value: unknown, why = ''): void {
    this.#add('FieldValueDuplicate', `Duplicate value: ${show(value)}${why === '' ? '' : `: ${why}`}`);
  }

  notFound(value: unknown): void {
    this.#add('FieldValueNotFound', `Not found: ${show(value)}`);
  }

  notSupported(value: unknown, known: readonly string[]): void {
    const list = known.length === 0 ? '' : `: supported values: ${known.map((one) => JSON.stringify(one)).join(', ')}`;
    this.#add('FieldValueNotSupported', `Unsupported value: ${show(value)}${list}`);
  }

  forbidden(why: string): void {
    this.#add('FieldValueForbidden', `Forbidden: ${why}`);
  }

  tooLong(value: unknown, maxBytes: number): void {
    void value;
    this.#add('FieldValueTooLong', `Too long: must have at most ${maxBytes} bytes`);
  }

  tooMany(count: number, max: number): void {
    this.#add('FieldValueTooMany', `Too many: ${count}: must have at most ${max} items`);
  }

  typeInvalid(value: unknown, why: string): void {
    this.#add('FieldValueTypeInvalid', `Invalid value: ${show(value)}: ${why}`);
  }

  internal(why: string): void {
    this.#add('InternalError', `Internal error: ${why}`);
  }

  #add(reason: string, message: string): void {
    this.causes.push({ reason, message, ...(this.path === '' ? {} : { field: this.path }) });
  }
}
