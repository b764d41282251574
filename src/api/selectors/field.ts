/**
 * `fieldSelector` texts: `a=b`, `a==b`, `a!=b`, joined by commas; `\` takes the meaning from `,` `=` and `\` in a value.
 * @spec 4.3
 */
import { compareUtf8 } from '#base';
import { badRequest } from '#errors';
import { applyDefaults, decode } from '#schema';
import type { KindDefinition, Version } from '../kind.ts';
import type { ApiObject } from '../object.ts';
import { objectTypeOf } from '../object-type.ts';

/** One value of a selectable field. */
export interface FieldValue {
  readonly key: string;
  readonly value: string;
}

export interface FieldRequirement extends FieldValue {
  readonly isEqual: boolean;
}

export interface FieldMatch {
  /** The only name that can match, where the selector determines it. */
  readonly name?: string;
  /** A field that all that match have with one value, other than name and namespace. */
  readonly required?: FieldValue;
  matches(fields: Readonly<Record<string, string>>): boolean;
}

type FieldsOfVersion = Pick<Version, 'emptyFields' | 'refuseField'>;

/**
 * Compiles the terms of a selector for a kind, as asked through `version`; undefined: it matches everything. Throws `BadRequest` for a field that the
 * kind does not support.
 */
export function compileFieldSelector(given: readonly FieldRequirement[], kind: KindDefinition, version?: FieldsOfVersion): FieldMatch | undefined {
  if (given.length === 0) return undefined;
  const offered = [...selectableFields(kind), ...(version?.emptyFields ?? [])];
  const terms = given.map(({ key, ...term }) => ({ ...term, key: kind.formerFields?.get(key) ?? key }));
  for (const { key } of terms) {
    if (!offered.includes(key)) throw badRequest(version?.refuseField?.(key) ?? refusalOf(kind, key, offered));
  }
  const name = terms.find((term) => term.isEqual && term.key === 'metadata.name')?.value;
  const required = terms.find((term) => term.isEqual && !term.key.startsWith('metadata.'));
  return {
    ...(name === undefined || name === '' ? {} : { name }),
    ...(required === undefined ? {} : { required }),
    matches: (fields) => terms.every(({ key, value, isEqual }) => (valueOfField(fields, key) === value) === isEqual),
  };
}

/** An absent field is an empty one. */
export const valueOfField = (fields: Readonly<Record<string, string>>, key: string): string => fields[key] ?? '';

/** kube-apiserver's error for an unsupported field, which depends on the fields that the kind supports. */
function refusalOf({ select, refuseField }: KindDefinition, key: string, offered: readonly string[]): string {
  if (refuseField !== undefined) return refuseField(key);
  if (select !== undefined) return `field label not supported: ${key}`;
  return `${JSON.stringify(key)} is not a known field selector: only ${offered.map((name) => JSON.stringify(name)).join(', ')}`;
}

/**
 * The conditions of a selector text; all must hold. They are read in the order of their texts, as in kube-apiserver, and so told which of them is wrong.
 * A term without field and value is none. Throws `BadRequest`.
 */
export function parseFieldSelector(text: string): readonly FieldRequirement[] {
  return splitTerms(text)
    .filter((term) => term !== '')
    .sort(compareUtf8)
    .map((term) => parseTerm(term, text))
    .filter(({ key, value }) => key !== '' || value !== '');
}

/** Splits at commas that are not escaped. */
const splitTerms = (text: string): readonly string[] => text.match(/(?:\\[^]|[^,\\]|\\$)+/g) ?? [];

function parseTerm(term: string, text: string): FieldRequirement {
  const parts = /^([^=!]*(?:!(?!=)[^=!]*)*)(!=|==|=)([^]*)$/.exec(term);
  if (parts === null) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
  const [, key = '', operator = '', escaped = ''] = parts;
  return { key, value: unescapeValue(escaped), isEqual: operator !== '!=' };
}

/** A backslash comes only before `\\`, `,` or `=`, and these only after one. */
function unescapeValue(escaped: string): string {
  for (const [piece] of escaped.matchAll(/\\[^]?|[,=]/gu)) {
    if (piece.length === 2 && '\\,='.includes(piece.charAt(1))) continue;
    if (piece.startsWith('\\')) throw badRequest(`invalid field selector: invalid escape sequence: ${piece}`);
    // Characters are named by their number, as kube-apiserver does.
    throw badRequest(`invalid field selector: unescaped character in value: ${piece.codePointAt(0)}`);
  }
  return escaped.replaceAll(/\\([\\,=])/g, '$1');
}

const offers = new WeakMap<KindDefinition, readonly string[]>();

/**
 * The fields that selectors may use: those that the kind's `select` returns for an empty object, plus name and namespace. Cluster-scoped kinds with
 * fields of their own do not support the namespace, nor do custom ones.
 */
export function selectableFields(kind: KindDefinition): readonly string[] {
  let fields = offers.get(kind);
  if (fields === undefined) {
    const own = kind.select === undefined ? [] : Object.keys(kind.select(emptyObject(kind)));
    const hasNamespace = kind.scope === 'Namespaced' || (own.length === 0 && kind.isCustom !== true);
    fields = ['metadata.name', ...(hasNamespace ? ['metadata.namespace'] : []), ...own];
    offers.set(kind, fields);
  }
  return fields;
}

function emptyObject(kind: KindDefinition): ApiObject {
  const { versions, storage } = kind.storedAs ?? kind;
  const schema = versions[storage]?.schema;
  if (schema === undefined) throw new Error(`${kind.kind}: storage version ${storage} is not declared`);
  const type = objectTypeOf(schema);
  const object = decode(type, {});
  applyDefaults(type, object);
  return object as unknown as ApiObject;
}
