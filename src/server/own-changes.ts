import { tagOf } from '#base';
import type { AdmissionRequest } from '#admission';
import { fillDefaults, objectTypeOf, type ApiObject, type Brand } from '#api';
import { applyDefaults, decode } from '#schema';

/**
 * Brings what a plugin of the embedding program has made of the object of a write into normal form, with defaults set, as what webhooks make of it, and
 * returns `said`. Throws where it is no object of its kind any more: once stored, it could not be read again.
 */
export function checkChange<T>(said: T, request: AdmissionRequest, brand: Brand): T {
  checkSilence(said);
  const { operation, object, resource, subresource } = request;
  if (operation !== 'CREATE' && operation !== 'UPDATE') return said;
  // Plugins in plain JavaScript may have left anything.
  if (object === undefined || (object as ApiObject | null) === null) throw new Error('it left no object: mutate changes the members of request.object');
  const { kind, storage } = resource;
  const carried = kind.subresources?.[subresource]?.carries;
  const isCarried = carried !== undefined && object.kind === carried.kind;
  if (!isCarried && (object.kind !== kind.kind || object.apiVersion !== storage.apiVersion)) throw new Error(`what it left is no ${kind.kind} of ${storage.apiVersion}`);
  const schema = isCarried ? carried.schema : storage.schema;
  if (schema === undefined) return said;
  const type = objectTypeOf(schema);
  request.object = decode(type, object) as unknown as ApiObject;
  if (isCarried) applyDefaults(type, request.object);
  else fillDefaults(request.object, schema, kind, brand);
  return said;
}

/** Throws where a plugin returns what looks like a refusal: it would let the request pass. */
export function checkSilence(said: unknown): void {
  if (said === false || tagOf(said) === 'Error') throw new Error('a plugin refuses by throwing what refuse(request, why) makes; it returned false or an error', { cause: said });
}
