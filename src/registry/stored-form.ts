import { escapeMarkup, jsonText, stringifyJson } from '#base';
import { holdsRaw, type MessageType } from '#schema';
import type { ApiObject } from '#api';

/**
 * The value stored for an object: JSON in the storage version, with `kind`, `apiVersion` and `metadata` first, so that the place of the resourceVersion
 * is found without parsing, and without the resourceVersion itself, which follows from the revision.
 */
export const encodeForStorage = (object: ApiObject): Uint8Array => stringifyJson(formOf(object));

const encoder = new TextEncoder();

/** The same with the escapes of Kubernetes, which are there in what its controllers send. */
const encodeWithEscapes = (object: ApiObject): Uint8Array => encoder.encode(escapeMarkup(jsonText(formOf(object))));

/**
 * How objects of a type are stored. JSON that clients in Go keep as text is given back with the bytes that it came with: controllers compare those of
 * the `data` of a ControllerRevision with what they would write, and make revision after revision of what differs; operators compare those of the
 * defaults and choices in definitions.
 */
export const encoderForStorage = (type: MessageType): ((object: ApiObject) => Uint8Array) => (holdsRaw(type) ? encodeWithEscapes : encodeForStorage);

function formOf(object: ApiObject): object {
  const { kind, apiVersion, metadata } = object;
  const hasVersion = metadata.resourceVersion !== undefined;
  const isInOrder = beginsWithHead(object);
  if (isInOrder && !hasVersion) return object;
  const form: Record<string, unknown> = isInOrder ? { ...object } : { ...{ kind, apiVersion, metadata }, ...object };
  if (hasVersion) {
    const kept: Record<string, unknown> = { ...metadata };
    // JSON leaves out members that are undefined.
    kept['resourceVersion'] = undefined;
    form['metadata'] = kept;
  }
  return form;
}

const HEAD = ['kind', 'apiVersion', 'metadata'];

/** Whether the members are in the required order already, as in every decoded object. */
function beginsWithHead(object: ApiObject): boolean {
  let at = 0;
  for (const name in object) {
    if (name !== HEAD[at]) return false;
    if (++at === HEAD.length) return true;
  }
  return false;
}
