/** What the load process is asked to do, and what it answers. Both sides import this file only. */

/** Requests of one form, sent for a while over a number of connections (HTTP/1.1) or streams of one connection (HTTP/2). */
export interface Load {
  readonly do: 'requests';
  readonly protocol: 'h1' | 'h2';
  readonly port: number;
  readonly clients: number;
  readonly method: string;
  /** `{n}` becomes the number of the request, `{c}` that of the client. */
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  /** First value of `{n}`. */
  readonly first?: number;
  /** No request after this value of `{n}`, however much time is left. */
  readonly last?: number;
}

/** Watchers of one path, and clients that write meanwhile. Latency is taken from `"sentAt":"<microseconds>"` inside the events. */
export interface FanOut {
  readonly do: 'fan-out';
  readonly port: number;
  readonly watchers: number;
  readonly watchPath: string;
  readonly writers: number;
  /** Of all writers together. Absent: as many as they can. */
  readonly writesPerSecond?: number;
  readonly method: string;
  /** `{c}` becomes the number of the client, `{t}` the moment of sending. */
  readonly writePath: string;
  readonly body: string;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

export interface Measured {
  readonly count: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers that were no success, by status. */
  readonly failures: Readonly<Record<string, number>>;
  /** Value of `{n}` that comes next. */
  readonly next: number;
}

/** `begin` is sent when warming up is over. */
export type LoadMessage = 'begin' | { readonly done: Measured } | { readonly failed: string };

export const TOKEN = 'bench-token';

export const rateOf = ({ count, seconds }: Measured): number => count / seconds;
