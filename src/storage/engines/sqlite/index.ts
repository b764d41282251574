import type { Driver } from '../../driver.ts';

/** A store in one file in a folder of this machine, opened by one process, with the SQLite that comes with Node 22.13 and newer. */
export const driver: Driver = {
  scheme: 'sqlite',
  open: async (options) => (await import('./sqlite-engine.ts')).openSqlite(options),
  maintenance: {
    snapshot: async (location) => (await import('./snapshot.ts')).openSnapshot(location),
    load: async (location, state) => (await import('./load.ts')).load(location, state),
  },
};
