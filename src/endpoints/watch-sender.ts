import { parseJson } from '#base';
import type { ApiError } from '#errors';
import type { EventSink, Stored } from '#registry';
import type { Outlet } from '#request';
import { isPartialMetadata } from './encode-stored.ts';
import { frameFailure, framesFor } from './represent-event.ts';
import { toPartial } from './represent-partial.ts';
import type { VerbContext } from './verb-context.ts';
import { pumpFrames } from './watch-pump.ts';

/** The way of events to one watcher. */
export interface WatchSender {
  readonly events: EventSink['events'];
  /** Says why the watch ends. */
  failure(failure: ApiError): void;
  /** Resolves when nothing waits any more, or the watcher is gone. */
  drained(): Promise<void>;
}

/** As frames, or as values where the watcher is in this process. */
export function createWatchSender(context: VerbContext, out: Outlet): WatchSender {
  const frames = framesFor(context);
  const { take } = out;
  if (take !== undefined) {
    const values = valuesFor(context, frames);
    return {
      events: (batch) => take(values(batch)),
      failure: (failure) => void take([parseJson(frameFailure(context, failure))]),
      drained: () => out.drained(),
    };
  }
  const pump = pumpFrames(out, context.env.limits.maxWatchBufferBytes);
  return {
    events: (batch) => pump.push(frames(batch)),
    failure: (failure) => void pump.push([frameFailure(context, failure)]),
    drained: () => pump.drained(),
  };
}

/** What the frames would say. Objects are those of the store where they are shown as they are. */
function valuesFor(context: VerbContext, frames: ReturnType<typeof framesFor>): (batch: Parameters<EventSink['events']>[0]) => readonly unknown[] {
  const shown = sharedForm(context);
  return (batch) =>
    batch.map((event) =>
      event.type === 'BOOKMARK' || shown === undefined ? parseJson(frames([event])[0]!) : { type: event.type, object: shown(event.stored) },
    );
}

/** undefined: objects are shown in a form that has to be made. */
function sharedForm({ accepted, env, route: { served, resource } }: VerbContext): ((stored: Stored) => unknown) | undefined {
  if (isPartialMetadata(accepted)) {
    const { asVersion = 'v1' } = accepted;
    return ({ object }) => toPartial(resource.kind, env.catalog.brand, asVersion, object);
  }
  return accepted.as === undefined && served === resource.storage ? ({ object }) => object : undefined;
}
