import type { Structural } from '#schema';
import { DEDUCED, DEDUCED_OBJECT, type Structure } from './structure-form.ts';

const LEAF: Structure = { is: 'leaf' };
const SET: Structure = { is: 'set' };

/** A whole object of a schema made at run time; `head` is what all objects have. @spec 4.9 */
export function ofOpen(schema: Structural, head: ReadonlyMap<string, () => Structure>): Structure {
  const fields = new Map(head);
  for (const [name, part] of schema.properties) if (!HEAD.has(name)) fields.set(name, later(part));
  return { is: 'struct', fields, ...restOf(schema) };
}

const HEAD: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

function later(schema: Structural): () => Structure {
  let structure: Structure | undefined;
  return () => (structure ??= ofSchema(schema));
}

function ofSchema(schema: Structural): Structure {
  const { props } = schema;
  if (props['x-kubernetes-int-or-string'] === true) return LEAF;
  if (props.type === 'array') return ofList(schema);
  if (props.type === 'object' || schema.properties.size > 0) return ofObject(schema);
  return schema.preservesUnknown ? DEDUCED : LEAF;
}

function ofObject(schema: Structural): Structure {
  if (schema.props['x-kubernetes-map-type'] === 'atomic') return LEAF;
  const rest = restOf(schema);
  if (schema.properties.size === 0) return rest.rest === undefined ? DEDUCED_OBJECT : { is: 'map', of: rest.rest };
  return { is: 'struct', fields: new Map([...schema.properties].map(([name, part]) => [name, later(part)])), ...rest };
}

function restOf({ additional, preservesUnknown }: Structural): { readonly rest?: () => Structure } {
  if (typeof additional === 'object') return { rest: later(additional) };
  return additional === 'any' || preservesUnknown ? { rest: () => DEDUCED } : {};
}

function ofList({ props, items }: Structural): Structure {
  const listType = props['x-kubernetes-list-type'];
  if (listType === 'set') return SET;
  if (listType !== 'map' || items === undefined) return LEAF;
  const keys = (props['x-kubernetes-list-map-keys'] ?? []).map((name) => ({ name, fallback: items.properties.get(name)?.fallback }));
  return { is: 'keyed', keys, of: later(items) };
}
