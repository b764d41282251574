import type { Driver } from '../../driver.ts';

/** A cluster of etcd 3.4 or newer, shared by any number of servers. The gRPC library is loaded when a store is opened. */
export const driver: Driver = {
  scheme: 'etcd',
  open: async (options) => (await import('./etcd-engine.ts')).openEtcd(options),
};
