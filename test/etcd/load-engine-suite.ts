type EngineSuite = typeof import('../../dist/storage/engine-suite.js');

/** The suite every engine passes. It is no part of the product's doors, so it is loaded from where the build put it, beside what `#storage` is here. */
export const loadEngineSuite = (): Promise<EngineSuite> =>
  import(new URL('../../rooms/engine-suite.js', import.meta.url).href) as Promise<EngineSuite>;
