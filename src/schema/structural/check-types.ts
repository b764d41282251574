import { isJsonObject, memberOf } from '#base';
import { DecodeFailure, describe, showPath, type PathElement } from '../facets/decode-failure.ts';
import { additionalOf, type Structural } from './structural.ts';

/** Throws `DecodeFailure` where a value is of another type than its schema says. Absent parts are fine, and so is null. */
export function checkTypes(schema: Structural, value: unknown): void {
  visit(schema, value, []);
}

const FITS: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isJsonObject,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  integer: (value) => typeof value === 'number' || typeof value === 'bigint',
  number: (value) => typeof value === 'number' || typeof value === 'bigint',
};

function visit(schema: Structural, value: unknown, path: PathElement[]): void {
  if (value === null || value === undefined) return;
  const { type = '' } = schema.props;
  const fits = Object.hasOwn(FITS, type) ? FITS[type] : undefined;
  if (fits !== undefined && !fits(value)) throw new DecodeFailure(showPath(path), type, describe(value));
  if (Array.isArray(value)) {
    if (schema.items !== undefined) for (const [position, item] of value.entries()) visit(schema.items, item, [...path, position]);
  } else if (isJsonObject(value)) {
    for (const name of Object.keys(value)) {
      const part = schema.properties.get(name) ?? additionalOf(schema);
      if (part !== undefined) visit(part, memberOf(value, name), [...path, name]);
    }
  }
}
