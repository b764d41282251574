import { BlockList, isIP } from 'node:net';

const LOCAL = new BlockList();
LOCAL.addSubnet('0.0.0.0', 8);
LOCAL.addSubnet('127.0.0.0', 8);
LOCAL.addSubnet('169.254.0.0', 16);
LOCAL.addSubnet('224.0.0.0', 4);
LOCAL.addAddress('255.255.255.255');
LOCAL.addAddress('::', 'ipv6');
LOCAL.addAddress('::1', 'ipv6');
LOCAL.addSubnet('fe80::', 10, 'ipv6');
LOCAL.addSubnet('ff00::', 8, 'ipv6');

/**
 * Whether an address is loopback, unspecified, link-local or multicast, also where an IPv6 address embeds such an IPv4 address. A text that is no
 * address counts as local, so that it is never called.
 */
export function isLocalAddress(ip: string): boolean {
  const family = isIP(ip);
  return family === 0 || LOCAL.check(ip, family === 4 ? 'ipv4' : 'ipv6');
}
