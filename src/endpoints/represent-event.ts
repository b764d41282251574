import type { ApiError } from '#errors';
import { decode } from '#schema';
import { objectTypeOf, type ApiObject } from '#api';
import type { Codec } from '#codec';
import type { WatchEvent } from '#registry';
import { codecOf, encodeStored } from './encode-stored.ts';
import { encodeTable, tableObject } from './represent-table.ts';
import type { VerbContext } from './verb-context.ts';

/** The frames of batches of events, for one watch. */
export type FrameBatch = (batch: readonly WatchEvent[]) => readonly Uint8Array[];

/** What was made of an event or a batch, by format and version. As long-lived as the event. */
const made = new WeakMap<object, Map<string, Uint8Array>>();

/**
 * Frames are made once per event, format and version, and joined once per batch, however many watchers there are: those that see the same
 * are given the same batch.
 * @spec 2.4
 */
export function framesFor(context: VerbContext): FrameBatch {
  const codec = codecOf(context);
  const { accepted, route } = context;
  if (accepted.as === 'Table') return tableFrames(context, codec);
  const form = `${codec.mediaType} ${accepted.as ?? ''} ${accepted.asVersion ?? route.served.version}`;
  const frame = (event: WatchEvent): Uint8Array =>
    codec.frame(event.type, event.type === 'BOOKMARK' ? encodeBookmark(context, event.revision) : encodeStored(context, codec, event.stored));
  const frameOnce = (event: WatchEvent): Uint8Array => once(event, form, () => frame(event));
  return (batch) => {
    const [first] = batch;
    if (first === undefined) return [];
    return [batch.length === 1 ? frameOnce(first) : once(batch, form, () => Buffer.concat(batch.map(frameOnce)))];
  };
}

/** Tables tell ages and, at first, columns: no two watchers get the same. */
function tableFrames(context: VerbContext, codec: Codec): FrameBatch {
  let isFirst = true;
  return (batch) =>
    batch.map((event) => {
      if (event.type === 'BOOKMARK') return codec.frame('BOOKMARK', encodeBookmark(context, event.revision));
      const table = tableObject(context, [event.stored], undefined, !isFirst);
      isFirst = false;
      return codec.frame(event.type, encodeTable(context, table));
    });
}

function once(of: object, form: string, make: () => Uint8Array): Uint8Array {
  let forms = made.get(of);
  if (forms === undefined) {
    forms = new Map();
    made.set(of, forms);
  }
  let bytes = forms.get(form);
  if (bytes === undefined) {
    bytes = make();
    forms.set(form, bytes);
  }
  return bytes;
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
