import type { BackEndTrust } from '#transport';

/** What holds for all that is handed on, to other API servers as well. */
export interface HandOnSettings {
  /** What a request through a proxy may bring along. */
  readonly maxProxiedBytes: number;
  /** Whether a header, by its name in lower case, says who asks where a proxy is believed: those behind may believe it, too. */
  namesCaller(header: string): boolean;
}

/** How requests are connected with what is behind the API. */
export interface ConnectSettings extends HandOnSettings {
  /** What the server shows to nodes, and whom it believes to be one. */
  readonly nodeTrust: BackEndTrust;
  /** Kinds of node addresses, the best first. */
  readonly nodeAddressTypes: readonly string[];
  /** Proxies may lead to addresses of this machine and its link. */
  readonly mayProxyToLocal: boolean;
}
