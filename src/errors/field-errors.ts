import { FaultBudget, jsonText, MAX_FAULT_CHARACTERS } from '#base';
import type { Cause } from './api-error.ts';
import { goQuoted, showValue } from './go-value.ts';

/** A value in Go's notation, which may be many times as long as in the request: no more of it than all messages together may have. */
function show(value: unknown): string {
  const text = showValue(value, jsonText);
  return text.length <= MAX_FAULT_CHARACTERS ? text : `${text.slice(0, MAX_FAULT_CHARACTERS)}...`;
}

/**
 * Collects the validation errors of an object, field by field. Of very many errors only the first ones are kept.
 * All children share one collection; `child`, `index` and `key` only extend the path, so that validation code reads like the object it checks.
 */
export class FieldErrors {
  readonly causes: Cause[];
  /** The parent, and the step that this one adds to its path: the text of the path is built only when it is needed, which is rare. */
  readonly #above: FieldErrors | undefined;
  readonly #step: string;
  readonly #joint: '.' | '';
  readonly #budget: FaultBudget;

  constructor(path = '', causes: Cause[] = [], above?: FieldErrors, joint: '.' | '' = '') {
    this.causes = causes;
    this.#above = above;
    this.#step = path;
    this.#joint = joint;
    this.#budget = above === undefined ? new FaultBudget() : above.#budget;
  }

  get path(): string {
    const above = this.#above?.path ?? '';
    return above === '' ? this.#step : above + this.#joint + this.#step;
  }

  child(...names: readonly string[]): FieldErrors {
    return new FieldErrors(names.length === 1 ? names[0] : names.join('.'), this.causes, this, '.');
  }

  index(position: number): FieldErrors {
    return new FieldErrors(`[${position}]`, this.causes, this);
  }

  key(name: string): FieldErrors {
    return new FieldErrors(`[${name}]`, this.causes, this);
  }

  get isEmpty(): boolean {
    return this.causes.length === 0;
  }

  /** Each error in one text, as Go prints it: its path, `<nil>` where that is empty, and what is wrong there. */
  get texts(): readonly string[] {
    return this.causes.map(({ field = '<nil>', message = '' }) => `${field}: ${message}`);
  }

  /** Whether no further error is kept: who compares each of many with each of many can stop. */
  get isFull(): boolean {
    return this.#budget.isEnough;
  }

  invalid(value: unknown, why: string): void {
    this.#add('FieldValueInvalid', () => `Invalid value: ${show(value)}${why === '' ? '' : `: ${why}`}`);
  }

  required(why = ''): void {
    this.#add('FieldValueRequired', () => (why === '' ? 'Required value' : `Required value: ${why}`));
  }

  duplicate(value: unknown, why = ''): void {
    this.#add('FieldValueDuplicate', () => `Duplicate value: ${show(value)}${why === '' ? '' : `: ${why}`}`);
  }

  notFound(value: unknown, why = ''): void {
    this.#add('FieldValueNotFound', () => `Not found: ${show(value)}${why === '' ? '' : `: ${why}`}`);
  }

  notSupported(value: unknown, known: readonly string[]): void {
    const list = (): string => (known.length === 0 ? '' : `: supported values: ${known.map(goQuoted).join(', ')}`);
    this.#add('FieldValueNotSupported', () => `Unsupported value: ${show(value)}${list()}`);
  }

  forbidden(why: string): void {
    this.#add('FieldValueForbidden', () => `Forbidden: ${why}`);
  }

  tooLong(value: unknown, maxBytes: number): void {
    void value;
    this.#add('FieldValueTooLong', () => `Too long: must have at most ${maxBytes} bytes`);
  }

  tooMany(count: number, max: number): void {
    this.#add('FieldValueTooMany', () => `Too many: ${count}: must have at most ${max} items`);
  }

  typeInvalid(value: unknown, why: string): void {
    this.#add('FieldValueTypeInvalid', () => `Invalid value: ${show(value)}: ${why}`);
  }

  internal(why: string): void {
    this.#add('InternalError', () => `Internal error: ${why}`);
  }

  #add(reason: string, make: () => string): void {
    if (this.#budget.isEnough) return;
    const { path } = this;
    const message = make();
    this.#budget.add(path.length + message.length);
    this.causes.push({ reason, message, ...(path === '' ? {} : { field: path }) });
  }
}
