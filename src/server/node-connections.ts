import { callerHeaders, type RequestHeaderOptions } from '#authentication';
import type { ConnectSettings, ForwardSettings } from '#endpoints';
import type { BackEndTrust } from '#transport';

/** How kubelets, and backends of pods and services, are reached. */
export interface NodeOptions extends BackEndTrust {
  /** Types of node addresses, by preference. */
  readonly addressTypes?: readonly string[];
  /** Allow proxies to loopback and link-local addresses. Default false. */
  readonly mayProxyToLocal?: boolean;
}

const ADDRESS_TYPES = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'];

/** Bodies of proxied requests are buffered whole, up to this size. */
const MAX_PROXIED_BYTES = 64 * 1024 * 1024;

/** `proxies`: those in front of this server, where it believes any. */
export const connectSettings = (nodes: NodeOptions, proxies: RequestHeaderOptions | undefined): ConnectSettings => {
  const { addressTypes = ADDRESS_TYPES, mayProxyToLocal = false, ...nodeTrust } = nodes;
  return { nodeTrust, nodeAddressTypes: addressTypes, mayProxyToLocal, ...handOnSettings(proxies) };
};

/** `proxies`: those in front of this server, where it believes any. */
export const handOnSettings = (proxies: RequestHeaderOptions | undefined): ForwardSettings => ({
  maxProxiedBytes: MAX_PROXIED_BYTES,
  namesCaller: proxies === undefined ? () => false : callerHeaders(proxies),
});
