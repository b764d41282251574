import type { ProxyCertificate } from '#extensions';

/** APIs that other servers serve, and what those need to know about this one. */
export interface AggregationOptions {
  /** Shown to the other servers, so that they believe what the headers say about users. PEM texts. Default: nothing is shown. */
  readonly proxyCertificate?: ProxyCertificate;
}
