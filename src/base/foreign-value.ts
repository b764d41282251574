// What values of another program are, such as one that embeds this one. Not by class: a test runner may have its own realm with its own classes.

/** `Object`, `Map`, `Error`, `Uint8Array`. */
export const tagOf = (value: unknown): string => Object.prototype.toString.call(value).slice('[object '.length, -1);

export const isBytes = (value: unknown): value is Uint8Array => ArrayBuffer.isView(value) && tagOf(value) === 'Uint8Array';

/** Whether a value is an object with functions of these names, own or inherited. */
export const hasFunctions = (value: unknown, names: readonly string[]): boolean =>
  typeof value === 'object' && value !== null && names.every((name) => typeof (value as Readonly<Record<string, unknown>>)[name] === 'function');
