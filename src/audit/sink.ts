import type { AuditEvent } from './event.ts';
import type { Level } from './level.ts';

/** Where events end up. */
export interface Sink {
  /** `log`, `webhook`, or what an embedding program calls it; for metrics and messages. */
  readonly name: string;
  /** Resolves when all of them have arrived; rejects when they have not. */
  deliver(events: readonly AuditEvent[]): Promise<void>;
  /** The server is about to end: deliveries are no longer tried again later. */
  hurry?(): void;
  /** After the last delivery. */
  close(): Promise<void>;
}

/** How events get to a sink. */
export interface Backend {
  /**
   * Takes one event. `true`: it was taken, as far as the request has to know. `false`: it was lost, and the operator wants such requests
   * refused. A promise: the request waits for it. Never throws.
   */
  record(event: AuditEvent): boolean | Promise<boolean>;
  /** Delivers what is waiting. Never rejects. */
  close(): Promise<void>;
}

/** Told of what happens to events, for metrics. Must be quick and never throw. */
export interface AuditObserver {
  /** A request was judged to be kept at this level. */
  level(level: Level): void;
  event(): void;
  /** So many events did not get to a sink. */
  lost(sink: string, count: number): void;
  /** A request was refused because its event was lost. */
  rejected(): void;
}
