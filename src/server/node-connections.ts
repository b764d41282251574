import type { ConnectSettings } from '#endpoints';
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

export const connectSettings = ({ addressTypes = ADDRESS_TYPES, mayProxyToLocal = false, ...nodeTrust }: NodeOptions): ConnectSettings => ({
  nodeTrust,
  nodeAddressTypes: addressTypes,
  mayProxyToLocal,
  maxProxiedBytes: MAX_PROXIED_BYTES,
});
