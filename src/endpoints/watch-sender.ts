import { parseWrittenJson } from '#base';
import type { Codec } from '#codec';
import type { ApiError } from '#errors';
import type { EventSink, Stored } from '#registry';
import type { Outlet } from '#request';
import { codecOf, isPartialMetadata } from './encode-stored.ts';
import { frameFailure, framesFor, type FrameBatch } from './represent-event.ts';
import { toPartial } from './represent-partial.ts';
import type { VerbContext } from './verb-context.ts';
import { pumpFrames, type Pump } from './watch-pump.ts';

/** Sends events to one watcher. */
export interface WatchSender {
  /** Returns false when the watcher is too slow; its watch is to end. */
  events(batch: Parameters<EventSink['events']>[0]): boolean;
  /** Sends the error that ends the watch. */
  failure(failure: ApiError): void;
  /** Resolves when the queue is empty, or the watcher has disconnected; undefined: there is no queue. */
  drained(): Promise<void> | undefined;
}

/** Creates the sender of a watch: of frames, or of values where the watcher is in this process. */
export function createWatchSender(context: VerbContext, out: Outlet): WatchSender {
  const frames = framesFor(context);
  const codec = codecOf(context);
  const { take } = out;
  if (take !== undefined) {
    const values = valuesFor(context, frames);
    return {
      events: (batch) => take(values(batch)),
      failure: (failure) => void take([parseWrittenJson(frameFailure(codec, failure))]),
      drained: () => out.drained(),
    };
  }
  const pump = pumpFrames(out, context.env.limits.maxWatchBufferBytes);
  const sender = new FrameSender(frames, pump, codec, out.writesMessages === true);
  if (context.accepted.as !== 'PartialObjectMetadataList') return sender;
  // An event carries an item and cannot be shown as a list: the first event ends the watch.
  return { events: () => false, failure: (failure) => sender.failure(failure), drained: () => sender.drained() };
}

/** Holds no reference to the request: watches live long. */
class FrameSender implements WatchSender {
  readonly #frames: FrameBatch;
  readonly #pump: Pump;
  readonly #codec: Codec;
  /** Whether each frame has to be written on its own. */
  readonly #isOneByOne: boolean;

  constructor(frames: FrameBatch, pump: Pump, codec: Codec, isOneByOne: boolean) {
    this.#frames = frames;
    this.#pump = pump;
    this.#codec = codec;
    this.#isOneByOne = isOneByOne;
  }

  events(batch: Parameters<EventSink['events']>[0]): boolean {
    return this.#pump.push(this.#isOneByOne ? batch.flatMap((event) => this.#frames([event])) : this.#frames(batch, this.#pump.isFarBehind));
  }

  failure(failure: ApiError): void {
    this.#pump.push([frameFailure(this.#codec, failure)]);
  }

  drained(): Promise<void> | undefined {
    return this.#pump.drained();
  }
}

/** The values that the frames would encode. Objects shown in the storage version are those of the store, not copies. */
function valuesFor(context: VerbContext, frames: ReturnType<typeof framesFor>): (batch: Parameters<EventSink['events']>[0]) => readonly unknown[] {
  const shown = sharedForm(context);
  return (batch) =>
    batch.map((event) =>
      event.type === 'BOOKMARK' || shown === undefined ? parseWrittenJson(frames([event])[0]!) : { type: event.type, object: shown(event.stored) },
    );
}

/** How a stored object is shown without encoding it; undefined: its form has to be made. */
function sharedForm({ accepted, env, route: { served, resource } }: VerbContext): ((stored: Stored) => unknown) | undefined {
  if (isPartialMetadata(accepted)) {
    const { asVersion = 'v1' } = accepted;
    return ({ object }) => toPartial(resource.kind, env.catalog.brand, asVersion, object);
  }
  return accepted.as === undefined && served === resource.storage ? ({ object }) => object : undefined;
}
