import type { Driver } from '../../driver.ts';
import { StorageFailure } from '../../storage-failure.ts';

/**
 * A store in one file in a folder of this machine, read by any number of processes and written by one of them. The native library is loaded when a
 * store is opened.
 */
export const driver: Driver = {
  scheme: 'lmdb',
  open: async (options) => (await loaded(import('./lmdb-engine.ts'))).openLmdb(options),
  maintenance: {
    snapshot: async (location, waiting) => (await loaded(import('./snapshot.ts'))).openSnapshot(location, waiting),
    load: async (location, state) => (await loaded(import('./load.ts'))).load(location, state),
  },
};

/** What helps where Node was told not to run such a library, by what Node says. */
const FORBIDDEN: readonly { readonly said: RegExp; readonly help: string }[] = [
  { said: /loading addons is disabled/, help: 'start Node without --no-addons, and with --allow-addons where it has --permission' },
  { said: /Code generation from strings/, help: 'start Node without --disallow-code-generation-from-strings' },
];
const MISSING_HELP = 'install the optional packages too (no --omit=optional), and leave the package lmdb out of bundles';

/** The native library is an optional package, and is found by its path: an installation may omit it, and a bundle lose it. Throws `StorageFailure`. */
async function loaded<T>(module: Promise<T>): Promise<T> {
  try {
    return await module;
  } catch (cause) {
    const { message } = cause as Error;
    const [why] = message.split('\n', 1);
    const help = FORBIDDEN.find(({ said }) => said.test(message))?.help ?? MISSING_HELP;
    throw new StorageFailure('unavailable', `the native library of lmdb:// stores cannot be loaded (${why}): ${help}, or use a sqlite:// store`, { cause });
  }
}
