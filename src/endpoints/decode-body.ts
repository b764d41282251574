import { pausingAfter } from '#base';
import { unsupportedMediaType } from '#errors';
import { fillDefaults, objectTypeOf, toStorageVersion, type ApiObject } from '#api';
import { bodyFormat, unrecognized, type Expected, type OtherHead } from '#codec';
import type { Codecs } from './codecs.ts';
import type { ChangeMechanism } from './patch-media-types.ts';
import type { Route } from './route.ts';
import type { VerbContext } from './verb-context.ts';

/**
 * The body as an object of the storage version, with defaults set.
 * Throws `UnsupportedMediaType`, `BadRequest`, `RequestEntityTooLarge`.
 * @spec 4.7
 */
export function decodeBody(context: VerbContext, format = formatOfBody(context)): Promise<ApiObject> {
  return decodeAs(context, expectedOf(context.route, 'body'), format).then((object) => toStorage(context, object));
}

/** What an object of this kind is decoded and checked against: the body of a write, or the result of a patch. */
export const expectedOf = ({ resource: { kind }, served, subresource }: Route, source: 'body' | ChangeMechanism): Expected => ({
  apiVersion: served.apiVersion,
  kind: kind.kind,
  type: objectTypeOf(served.schema),
  mustSayKind: kind.isCustom === true,
  otherHead: kind.isCustom === true ? OTHER_HEADS[source === 'body' ? 'body' : 'patch'][subresource === '' ? 'whole' : 'part'] : undefined,
  isPatched: source !== 'body',
  isMerged: source === 'strategic',
});

/** Of custom resources, a write of a part keeps the stored version and kind. */
const OTHER_HEADS = {
  body: { whole: { apiVersion: 'refused', kind: 'invalid' }, part: { apiVersion: 'refused', kind: 'ignored' } },
  patch: { whole: { apiVersion: 'invalid', kind: 'invalid' }, part: { apiVersion: 'ignored', kind: 'ignored' } },
} satisfies Record<string, Record<'whole' | 'part', OtherHead>>;

/** The body as an object of the expected type, without defaults. Throws as `decodeBody` does. */
export function decodeAs(context: VerbContext, expected: Expected, format = formatOfBody(context)): Promise<ApiObject> {
  const { request, env } = context;
  return request.body(env.limits.maxBodyBytes).then((body) => {
    if (format === 'protobuf' && expected.type.open !== undefined) throw unrecognized(expected, 'it has no protobuf form', body);
    return pausingAfter(() => env.codecs[format].decode(expected, body));
  });
}

/** The format that the body is sent in. Throws `UnsupportedMediaType`. */
export function formatOfBody({ request, env: { catalog, codecs } }: VerbContext): keyof Codecs {
  const format = bodyFormat(request.headers.get('content-type')?.[0], catalog.brand);
  if (format === undefined) throw unsupportedMediaType([codecs.json, codecs.yaml, codecs.protobuf].map(({ mediaType }) => mediaType));
  return format;
}

/** Sets all defaults of an object of the served version. Changes `object`. */
export function setDefaults({ route, env }: VerbContext, object: ApiObject): void {
  fillDefaults(object, route.served.schema, route.resource.kind, env.catalog.brand);
}

/** An object of the served version → the storage version, with defaults set. Changes `object`. */
export function toStorage(context: VerbContext, object: ApiObject): ApiObject {
  const { served, resource } = context.route;
  setDefaults(context, object);
  return toStorageVersion(served, resource.storage.apiVersion, object);
}
