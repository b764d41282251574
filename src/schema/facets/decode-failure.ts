/** A member name, a map key or a position in a list. */
export type PathElement = string | number;

/** A value does not fit its schema. */
export class DecodeFailure extends Error {
  override readonly name = 'DecodeFailure';
  /** The path, as in `spec.containers[0].ports`; empty for the whole value. */
  readonly path: string;
  /** The expected type, as in `an object` or `int32`. */
  readonly expected: string;
  /** The type of the value found, as in `a string`. */
  readonly found: string;
  /** The message that the API sends to clients. */
  readonly wireText: string;
  readonly #merged: (() => string) | undefined;

  /** `merged`: computes `mergedText`, when it is needed. */
  constructor(path: string, expected: string, found: string, wireText?: string, merged?: () => string) {
    super(`${path === '' ? '' : `${path}: `}expected ${expected}, found ${found}`);
    this.wireText = wireText ?? this.message;
    this.#merged = merged;
    this.path = path;
    this.expected = expected;
    this.found = found;
  }

  /** `wireText` without the path that it begins with, for causes that name the path beside it. */
  get wireCause(): string {
    const start = `${this.path}: `;
    return this.wireText.startsWith(start) ? this.wireText.slice(start.length) : this.wireText;
  }

  /** The message for an object that is the result of a merge. */
  get mergedText(): string {
    return this.#merged?.() ?? this.wireText;
  }
}

/** A path as people write it. */
export function showPath(path: readonly PathElement[]): string {
  let text = '';
  for (const element of path) {
    text += typeof element === 'number' ? `[${element}]` : text === '' ? element : `.${element}`;
  }
  return text;
}

/** What kind of JSON value this is. Short scalars are shown. */
export function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string':
      return value.length <= 64 ? `the string ${JSON.stringify(value)}` : 'a string';
    case 'number':
    case 'bigint':
      return `the number ${value}`;
    case 'boolean':
      return `${value}`;
    default:
      return 'an object';
  }
}
