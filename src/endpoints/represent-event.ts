import type { ApiError } from '#errors';
import { decode } from '#schema';
import { objectTypeOf, type ApiObject } from '#api';
import type { WatchEvent } from '#registry';
import { codecOf, encodeStored } from './encode-stored.ts';
import { encodeTable, tableObject } from './represent-table.ts';
import type { VerbContext } from './verb-context.ts';

/**
 * The frame of one event. A frame is made once per event, format and version, however many watchers there are:
 * it is kept with the entry, whose last event it is.
 * @spec 2.4
 */
export function frameEvent(context: VerbContext, event: WatchEvent, isFirst: boolean): Uint8Array {
  const codec = codecOf(context);
  if (event.type === 'BOOKMARK') return codec.frame('BOOKMARK', encodeBookmark(context, event.revision));
  const { accepted, route } = context;
  if (accepted.as === 'Table') return codec.frame(event.type, encodeTable(context, tableObject(context, [event.stored], undefined, !isFirst)));
  const name = `${event.type} ${codec.mediaType} ${accepted.as ?? ''} ${accepted.asVersion ?? route.served.version}`;
  let frame = event.stored.encodings.get(name);
  if (frame === undefined) {
    frame = codec.frame(event.type, encodeStored(context, codec, event.stored));
    event.stored.encodings.set(name, frame);
  }
  return frame;
}

/** What ends a watch that cannot go on. */
export function frameFailure(context: VerbContext, failure: ApiError): Uint8Array {
  const codec = codecOf(context);
  return codec.frame('ERROR', codec.encodeStatus(failure.toStatus()));
}

/** An object of the kind that says nothing but how far the stream has come. */
function encodeBookmark(context: VerbContext, revision: number): Uint8Array {
  const { served, resource } = context.route;
  const type = objectTypeOf(served.schema);
  const { value } = decode(type, { kind: resource.kind.kind, apiVersion: served.apiVersion, metadata: { resourceVersion: String(revision) } });
  return codecOf(context).encode(type, value as unknown as ApiObject);
}
