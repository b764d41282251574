import { OBJECT_HEAD, type Structural } from '#schema';
import { DEDUCED, DEDUCED_OBJECT, LEAF_STRUCTURE, SET_STRUCTURE, type ItemList, type Structure } from './structure-form.ts';

type Fields = ReadonlyMap<string, () => Structure>;

/** The structure of a custom resource. `fields`: the fields that all objects have; embedded objects have them, too. @spec 4.9 */
export function ofOpen(schema: Structural, fields: Fields): Structure {
  const head: Fields = new Map([...fields].filter(([name]) => OBJECT_HEAD.has(name)));
  return { is: 'struct', fields: new Map([...fields, ...ownFields(schema, head)]), ...restOf(schema, head) };
}

/** The fields of the schema, without `apiVersion`, `kind` and `metadata`, whatever the schema says about these. */
const ownFields = (schema: Structural, head: Fields): [string, () => Structure][] =>
  [...schema.properties].filter(([name]) => !OBJECT_HEAD.has(name)).map(([name, part]) => [name, later(part, head)]);

function later(schema: Structural, head: Fields): () => Structure {
  let structure: Structure | undefined;
  return () => (structure ??= ofSchema(schema, head));
}

function ofSchema(schema: Structural, head: Fields): Structure {
  const { props } = schema;
  if (props['x-kubernetes-int-or-string'] === true) return LEAF_STRUCTURE;
  if (props.type === 'array') return ofList(schema, head);
  if (props.type === 'object' || schema.properties.size > 0) return ofObject(schema, head);
  return schema.preservesUnknown ? DEDUCED : LEAF_STRUCTURE;
}

function ofObject(schema: Structural, head: Fields): Structure {
  if (schema.props['x-kubernetes-map-type'] === 'atomic') return LEAF_STRUCTURE;
  const rest = restOf(schema, head);
  if (schema.isEmbedded) return { is: 'struct', fields: new Map([...head, ...ownFields(schema, head)]), ...rest };
  if (schema.properties.size === 0) return rest.rest === undefined ? DEDUCED_OBJECT : { is: 'map', of: rest.rest };
  return { is: 'struct', fields: new Map([...schema.properties].map(([name, part]) => [name, later(part, head)])), ...rest };
}

function restOf({ additional, isWithinUnknown }: Structural, head: Fields): { readonly rest?: () => Structure } {
  if (typeof additional === 'object') return { rest: later(additional, head) };
  return additional === 'any' || isWithinUnknown ? { rest: () => DEDUCED } : {};
}

const lists = new WeakMap<Structural, Structure>();

/** The keys of the items of a list, also where it is inside of an atomic value; undefined: items are known by position. */
export function listOfSchema(schema: Structural): ItemList | undefined {
  let list = lists.get(schema);
  if (list === undefined) lists.set(schema, (list = ofList(schema, new Map())));
  return list.is === 'set' || list.is === 'keyed' ? list : undefined;
}

function ofList({ props, items }: Structural, head: Fields): Structure {
  const listType = props['x-kubernetes-list-type'];
  if (listType === 'set') return SET_STRUCTURE;
  if (listType !== 'map' || items === undefined) return LEAF_STRUCTURE;
  const keys = (props['x-kubernetes-list-map-keys'] ?? []).map((name) => ({ name, fallback: items.properties.get(name)?.fallback }));
  return { is: 'keyed', keys, of: later(items, head) };
}
