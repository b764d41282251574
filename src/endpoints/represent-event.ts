import type { ApiError } from '#errors';
import { decode } from '#schema';
import { objectTypeOf, type ApiObject, type Resource, type ServedVersion, type TableSource } from '#api';
import type { Codec } from '#codec';
import type { WatchEvent } from '#registry';
import { codecOf, encodeStored, isPartialMetadata } from './encode-stored.ts';
import { partialOf, partialType } from './represent-partial.ts';
import { encodeRow, rowOf } from './represent-table.ts';
import type { Representation, VerbContext } from './verb-context.ts';

/** The frames of batches of events, for one watch. `isKept`: its client takes them later, and until then they are in memory. */
export type FrameBatch = (batch: readonly WatchEvent[], isKept?: boolean) => readonly Uint8Array[];

const FRAMES = Symbol('made');
const ASKED = Symbol('asked');

/** The frames of an event or a batch in one format and version, in a linked list of such forms: mostly there is just one. */
interface CachedFrames {
  /** The event or batch that the frames encode: a copy of an event carries the cache along, but encodes to something else. */
  readonly of: WatchEvent | readonly WatchEvent[];
  readonly form: string;
  readonly frames: readonly Uint8Array[];
  readonly next: CachedFrames | undefined;
}

/** Cached on the event or batch itself: events are many and short-lived, and weak maps of them would burden the garbage collector. */
interface Framed {
  [FRAMES]?: CachedFrames;
  /** How many watches have asked for the frames of a batch, to keep them. */
  [ASKED]?: number;
}

/**
 * Frames are encoded once per event, format and version, and small ones joined once per batch, however many watches there are: watches that select the
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
  const frameOnce = (event: WatchEvent): CachedFrames['frames'] => once(event, form, () => [frame(event)]);
  return (batch, isKept = false) => {
    const [first] = batch;
    if (first === undefined) return [];
    if (batch.length === 1) return frameOnce(first);
    return isKept && !isAskedOften(batch) ? batch.flatMap(frameOnce) : once(batch, form, () => joined(batch.flatMap(frameOnce)));
  };
}

/** From so many on, watches that keep the same batch keep it joined: a copy for all of them, where the frames of its events are shared by all watches. */
const OFTEN = 8;

const isAskedOften = (batch: readonly WatchEvent[] & Framed): boolean => (batch[ASKED] = (batch[ASKED] ?? 0) + 1) >= OFTEN;

/** Frames from this size on are not joined: it would save nothing, and each selector would copy them. */
const LARGE_BYTES = 16_384;

/** The same bytes in fewer pieces: small neighbours become one. */
function joined(frames: readonly Uint8Array[]): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let small: Uint8Array[] = [];
  const join = (): void => {
    if (small.length > 0) pieces.push(small.length === 1 ? small[0]! : Buffer.concat(small));
    small = [];
  };
  for (const frame of frames) {
    if (frame.length < LARGE_BYTES) {
      small.push(frame);
      continue;
    }
    join();
    pieces.push(frame);
  }
  join();
  return pieces;
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
    batch.flatMap((event) => {
      const hasColumns = isFirst;
      isFirst = false;
      return once(event, hasColumns ? `${form} with columns` : form, () => [frame(event, hasColumns)]);
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

function once(of: WatchEvent | readonly WatchEvent[], form: string, make: () => CachedFrames['frames']): CachedFrames['frames'] {
  const framed = of as Framed;
  const first = framed[FRAMES];
  for (let made = first; made !== undefined; made = made.next) if (made.of === of && made.form === form) return made.frames;
  const frames = make();
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
