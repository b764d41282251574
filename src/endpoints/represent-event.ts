import type { ApiError } from '#errors';
import { decode } from '#schema';
import { objectTypeOf, type ApiObject, type Resource, type ServedVersion, type TableSource } from '#api';
import type { Codec } from '#codec';
import type { WatchEvent } from '#registry';
import { codecOf, encodeStored, isPartialMetadata } from './encode-stored.ts';
import { partialOf, partialType } from './represent-partial.ts';
import { encodeRow, rowOf } from './represent-table.ts';
import type { Representation, VerbContext } from './verb-context.ts';

/** The frames of batches of events, for one watch. */
export type FrameBatch = (batch: readonly WatchEvent[]) => readonly Uint8Array[];

const FRAMES = Symbol('made');

/** The frames of an event or a batch in one format and version, in a linked list of such forms: mostly there is just one. */
interface CachedFrames {
  /** The event or batch that the frames encode: a copy of an event carries the cache along, but encodes to something else. */
  readonly of: WatchEvent | readonly WatchEvent[];
  readonly form: string;
  readonly frames: readonly [Uint8Array];
  readonly next: CachedFrames | undefined;
}

/** Cached on the event or batch itself: events are many and short-lived, and weak maps of them would burden the garbage collector. */
interface Framed {
  [FRAMES]?: CachedFrames;
}

/**
 * Frames are encoded once per event, format and version, and concatenated once per batch, however many watches there are: watches that select the
 * same get the same batch.
 * @spec 2.4
 */
export function framesFor(context: VerbContext): FrameBatch {
  const { accepted, env, route } = context;
  if (accepted.as === 'Table') return tableFrames(context, codecOf(context));
  return sharedFrames({ accepted, env, route });
}

interface SharedFrames {
  readonly context: Representation;
  readonly frames: FrameBatch;
}

const shared = new WeakMap<Resource, Map<string, SharedFrames>>();

/**
 * One frame function for all watches of a resource in the same form, so that the many open watches hold no reference to the request that began them.
 */
function sharedFrames(context: Representation): FrameBatch {
  const codec = codecOf(context);
  const { accepted, env, route } = context;
  const form = `${codec.mediaType} ${accepted.as ?? ''} ${accepted.asVersion ?? route.served.apiVersion}`;
  let forms = shared.get(route.resource);
  if (forms === undefined) {
    forms = new Map();
    shared.set(route.resource, forms);
  }
  const key = `${form} ${route.served.apiVersion}`;
  const known = forms.get(key);
  if (known !== undefined && known.context.env === env && known.context.route.served === route.served) return known.frames;
  const frames = frameBatch(context, codec, form);
  forms.set(key, { context, frames });
  return frames;
}

function frameBatch(context: Representation, codec: Codec, form: string): FrameBatch {
  const frame = (event: WatchEvent): Uint8Array =>
    codec.frame(event.type, event.type === 'BOOKMARK' ? encodeBookmark(context, codec, event.revision) : encodeStored(context, codec.partCodec, event.stored));
  const frameOnce = (event: WatchEvent): CachedFrames['frames'] => once(event, form, () => frame(event));
  return (batch) => {
    const [first] = batch;
    if (first === undefined) return [];
    return batch.length === 1 ? frameOnce(first) : once(batch, form, () => Buffer.concat(batch.map((event) => frameOnce(event)[0])));
  };
}

/**
 * Rows are encoded once per event, too: they show ages, but whoever hears of a change hears of it in the same moment. Only the first event of each watch
 * carries the column definitions.
 */
function tableFrames(context: VerbContext, codec: Codec): FrameBatch {
  const form = tableForm(context, codec);
  const frame = (event: WatchEvent, isFirst: boolean): Uint8Array =>
    codec.frame(event.type, encodeRow(context, event.type === 'BOOKMARK' ? bookmarkRow(context, event.revision) : rowOf(context, event.stored), isFirst));
  let isFirst = true;
  return (batch) =>
    batch.map((event) => {
      const hasColumns = isFirst;
      isFirst = false;
      return once(event, hasColumns ? `${form} with columns` : form, () => frame(event, hasColumns))[0];
    });
}

/** Everything that a row depends on beside its object. Two declarations of a custom kind may show the same objects in other columns. */
function tableForm({ accepted, request, route: { resource, served } }: VerbContext, { mediaType }: Codec): string {
  return `${mediaType} Table ${accepted.asVersion} ${request.query.get('includeObject') ?? ''} ${numberOfDeclaration(resource)} ${served.apiVersion}`;
}

const declarations = new WeakMap<Resource, number>();
let lastDeclaration = 0;

function numberOfDeclaration(resource: Resource): number {
  const known = declarations.get(resource) ?? ++lastDeclaration;
  declarations.set(resource, known);
  return known;
}

function once(of: WatchEvent | readonly WatchEvent[], form: string, make: () => Uint8Array): CachedFrames['frames'] {
  const framed = of as Framed;
  const first = framed[FRAMES];
  for (let made = first; made !== undefined; made = made.next) if (made.of === of && made.form === form) return made.frames;
  const frames: CachedFrames['frames'] = [make()];
  framed[FRAMES] = { of, form, frames, next: first };
  return frames;
}

/** The ERROR event that ends a watch. */
export function frameFailure(codec: Codec, failure: ApiError): Uint8Array {
  return codec.frame('ERROR', codec.partCodec.encodeStatus(failure.toStatus()));
}

/** An object of the kind with nothing but the resourceVersion that the watch has reached. */
function bookmarkOf(resource: Resource, version: ServedVersion, revision: number): ApiObject {
  const said = { kind: resource.kind.kind, apiVersion: version.apiVersion, metadata: { resourceVersion: String(revision) } };
  return decode(objectTypeOf(version.schema), said) as unknown as ApiObject;
}

/** A bookmark in the negotiated form, like every event: a client of metadata alone may not know the kind. */
function encodeBookmark(context: Representation, { partCodec }: Codec, revision: number): Uint8Array {
  const { served, resource } = context.route;
  const bookmark = bookmarkOf(resource, served, revision);
  if (isPartialMetadata(context.accepted)) return partCodec.encode(partialType, partialOf(context, bookmark));
  // Only built-in kinds show a time of creation where there is none.
  if (resource.kind.isCustom === true) delete bookmark.metadata.creationTimestamp;
  return partCodec.encode(objectTypeOf(served.schema), bookmark);
}

function bookmarkRow({ route: { served, resource } }: Representation, revision: number): TableSource {
  return { stored: bookmarkOf(resource, resource.storage, revision), served: () => bookmarkOf(resource, served, revision) };
}
