import { networkInterfaces, type NetworkInterfaceInfo } from 'node:os';

/** The addresses of this machine; none where they may not be asked for, as in a sandbox without netlink sockets: then only those that options name are known. */
export function machineAddresses(ask: typeof networkInterfaces = networkInterfaces): readonly NetworkInterfaceInfo[] {
  try {
    return Object.values(ask()).flatMap((addresses) => addresses ?? []);
  } catch {
    return [];
  }
}
