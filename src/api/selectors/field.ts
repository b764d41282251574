/**
 * `fieldSelector` texts: `a=b`, `a==b`, `a!=b`, joined by commas; `\` takes the meaning from `,` `=` and `\` in a value.
 * @spec 4.3
 */
import { badRequest } from '#errors';
import { applyDefaults, decode } from '#schema';
import type { KindDefinition } from '../kind.ts';
import type { ApiObject } from '../object.ts';
import { objectTypeOf } from '../object-type.ts';

export interface FieldRequirement {
  readonly key: string;
  readonly value: string;
  readonly isEqual: boolean;
}

export interface FieldMatch {
  /** The only name that can match, where the selector says so. */
  readonly name?: string;
  matches(fields: Readonly<Record<string, string>>): boolean;
}

/** What a selector text asks of a kind's objects; undefined: nothing. Throws `BadRequest`, also for a field the kind does not offer. */
export function compileFieldSelector(text: string, kind: KindDefinition): FieldMatch | undefined {
  const terms = parseFieldSelector(text);
  if (terms.length === 0) return undefined;
  const offered = selectableFields(kind);
  for (const { key } of terms) {
    if (!offered.includes(key)) throw badRequest(`field label not supported: ${key} (${kind.kind} has ${offered.join(', ')})`);
  }
  const name = terms.find((term) => term.isEqual && term.key === 'metadata.name')?.value;
  return {
    ...(name === undefined || name === '' ? {} : { name }),
    matches: (fields) => terms.every(({ key, value, isEqual }) => ((fields[key] ?? '') === value) === isEqual),
  };
}

/** The conditions of a selector text; all must hold. Throws `BadRequest`. */
export function parseFieldSelector(text: string): readonly FieldRequirement[] {
  return splitTerms(text)
    .filter((term) => term !== '')
    .map((term) => parseTerm(term, text));
}

/** Cuts at commas, but not at those after a backslash. */
const splitTerms = (text: string): readonly string[] => text.match(/(?:\\[^]|[^,\\]|\\$)+/g) ?? [];

function parseTerm(term: string, text: string): FieldRequirement {
  const parts = /^([^=!]*(?:!(?!=)[^=!]*)*)(!=|==|=)([^]*)$/.exec(term);
  if (parts === null) throw badRequest(`invalid field selector ${JSON.stringify(text)}: ${JSON.stringify(term)} has no =, == or !=`);
  const [, key = '', operator = '', escaped = ''] = parts;
  return { key, value: unescapeValue(escaped, text), isEqual: operator !== '!=' };
}

function unescapeValue(escaped: string, text: string): string {
  if (!/^(?:[^\\,=]|\\[\\,=])*$/.test(escaped)) {
    throw badRequest(
      `invalid field selector ${JSON.stringify(text)}: in a value, '\\' comes only before '\\', ',' or '=', and these only after '\\'`,
    );
  }
  return escaped.replaceAll(/\\([\\,=])/g, '$1');
}

const offers = new WeakMap<KindDefinition, readonly string[]>();

/**
 * Fields that selectors may name: what the kind's `select` says of an object without content, beside name and namespace.
 * Cluster-scoped kinds with fields of their own do not offer the namespace.
 */
export function selectableFields(kind: KindDefinition): readonly string[] {
  let fields = offers.get(kind);
  if (fields === undefined) {
    const own = kind.select === undefined ? [] : Object.keys(kind.select(emptyObject(kind)));
    const hasNamespace = kind.scope === 'Namespaced' || own.length === 0;
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
  const object = decode(type, {}).value;
  applyDefaults(type, object);
  return object as unknown as ApiObject;
}
