import { callerHeaders, type RequestHeaderOptions } from '#authentication';
import type { ConnectSettings, HandOnSettings } from '#endpoints';
import type { BackEndTrust } from '#transport';

/** How the agents of nodes, and what pods and services serve, are reached. */
export interface NodeOptions extends BackEndTrust {
  /** Kinds of node addresses, the best first. */
  readonly addressTypes?: readonly string[];
  /** Let proxies lead to addresses of this machine and its link. Default false. */
  readonly mayProxyToLocal?: boolean;
}

const ADDRESS_TYPES = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'];

/** Requests through a proxy are read whole before they go on. */
const MAX_PROXIED_BYTES = 64 * 1024 * 1024;

/** `proxies`: those in front of this server, where it believes any. */
export const connectSettings = (nodes: NodeOptions, proxies: RequestHeaderOptions | undefined): ConnectSettings => {
  const { addressTypes = ADDRESS_TYPES, mayProxyToLocal = false, ...nodeTrust } = nodes;
  return { nodeTrust, nodeAddressTypes: addressTypes, mayProxyToLocal, ...handOnSettings(proxies) };
};

/** `proxies`: those in front of this server, where it believes any. */
export const handOnSettings = (proxies: RequestHeaderOptions | undefined): HandOnSettings => ({
  maxProxiedBytes: MAX_PROXIED_BYTES,
  namesCaller: proxies === undefined ? () => false : callerHeaders(proxies),
});
