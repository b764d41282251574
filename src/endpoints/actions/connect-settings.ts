import type { BackEndTrust } from '#transport';

/** Settings for all forwarded requests, those to aggregated API servers included. */
export interface ForwardSettings {
  /** The maximum length of a proxied request body. */
  readonly maxProxiedBytes: number;
  /** Whether a header (name in lower case) names the user of a trusted authenticating proxy. It is not forwarded: the back end may trust it, too. */
  namesCaller(header: string): boolean;
}

/** Settings for requests to back ends behind the API. */
export interface ConnectSettings extends ForwardSettings {
  /** The client certificate of the server for nodes, and the CA that verifies nodes. */
  readonly nodeTrust: BackEndTrust;
  /** Types of node addresses, in order of preference. */
  readonly nodeAddressTypes: readonly string[];
  /** Proxies may lead to addresses of this machine and its link. */
  readonly mayProxyToLocal: boolean;
}
