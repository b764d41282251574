import type { Driver } from '../../engine.ts';

/** One file in a folder of this machine, read by any number of its processes and written by one of them. The native library is loaded when a store is opened. */
export const driver: Driver = {
  scheme: 'lmdb',
  open: async (options) => (await import('./lmdb-engine.ts')).openLmdb(options),
  upkeep: {
    snapshot: async (location) => (await import('./snapshot.ts')).openSnapshot(location),
    load: async (location, state) => (await import('./load.ts')).load(location, state),
  },
};
