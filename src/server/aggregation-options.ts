import type { ProxyCertificate } from '#extensions';

/** APIs that other servers serve, and what those need to know about this one. */
export interface AggregationOptions {
  /** The client certificate that this server presents to aggregated API servers, so that they trust its user headers. PEM texts. Default: none. */
  readonly proxyCertificate?: ProxyCertificate;
}
