import type { AuditEvent } from './event.ts';
import type { Level } from './level.ts';

/** A destination of events. */
export interface Sink {
  /** `log`, `webhook`, or the name that an embedding program gives; for metrics and messages. */
  readonly name: string;
  /** Delivers events; resolves when all of them have arrived, and rejects otherwise: with `PartLost` where not all of them are lost by that. */
  deliver(events: readonly AuditEvent[]): Promise<void>;
  /** The server shuts down: failed deliveries are no longer retried with delays. */
  hurry?(): void;
  /** After the last delivery. */
  close(): Promise<void>;
}

/** A way of delivering events to a sink: blocking or batched. */
export interface Backend {
  /**
   * Takes one event. `bytes`: about the length of what clients and webhooks put into it; default 0. `true`: accepted, as far as the request is concerned. `false`: lost, and the operator wants such requests rejected. A promise:
   * the request waits for it. Never throws.
   */
  record(event: AuditEvent, bytes?: number): boolean | Promise<boolean>;
  /** Delivers buffered events. Never rejects. */
  close(): Promise<void>;
}

/** Observes events, for metrics. Must be quick and never throw. */
export interface AuditObserver {
  /** The policy assigned this level to a request. */
  level(level: Level): void;
  event(): void;
  /** Number of events that a sink did not get. */
  lost(sink: string, count: number): void;
  /** A request was rejected because its event was lost. */
  rejected(): void;
}
