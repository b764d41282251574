import { jsonText, utf8Length } from '#base';
import type { Brand } from '#api';
import type { AuditEvent } from './event.ts';
import { PartLost } from './part-lost.ts';
import type { AuditObserver, Sink } from './sink.ts';

export interface TruncateOptions {
  readonly maxEventBytes: number;
  readonly maxBatchBytes: number;
  readonly brand: Brand;
  readonly observer: AuditObserver;
}

/**
 * Limits the size of deliveries: events that are too large lose their objects, with an annotation that says so, and are dropped where that is not
 * enough. Batches that are too large are split; each part is delivered whatever becomes of the others.
 */
export function truncating(sink: Sink, options: TruncateOptions): Sink {
  return {
    name: sink.name,
    hurry: () => sink.hurry?.(),
    close: () => sink.close(),
    async deliver(events) {
      let refused: PartLost | undefined;
      for (const batch of batches(events, options, sink.name)) {
        try {
          await sink.deliver(batch);
        } catch (cause) {
          // What is refused for its size, as by a proxy, says nothing about the smaller ones behind it.
          refused = new PartLost((refused?.count ?? 0) + batch.length, refused?.cause ?? cause);
        }
      }
      if (refused !== undefined) throw refused;
    },
  };
}

function* batches(events: readonly AuditEvent[], options: TruncateOptions, name: string): Generator<readonly AuditEvent[]> {
  let batch: AuditEvent[] = [];
  let size = 0;
  for (const given of events) {
    const { event, bytes } = fitted(given, options);
    if (event === undefined) {
      options.observer.lost(name, 1);
      continue;
    }
    if (batch.length > 0 && size + bytes > options.maxBatchBytes) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(event);
    size += bytes;
  }
  if (batch.length > 0) yield batch;
}

function fitted(event: AuditEvent, { maxEventBytes, brand }: TruncateOptions): { readonly event: AuditEvent | undefined; readonly bytes: number } {
  const bytes = sizeOf(event);
  if (bytes <= maxEventBytes) return { event, bytes };
  const { requestObject: _request, responseObject: _response, ...rest } = event;
  const small = { ...rest, annotations: { ...event.annotations, [`${brand.group('audit')}/truncated`]: 'true' } };
  const smallBytes = sizeOf(small);
  return { event: smallBytes <= maxEventBytes ? small : undefined, bytes: smallBytes };
}

const sizeOf = (event: AuditEvent): number => utf8Length(jsonText(event));
