import type { Running } from '#client';
import { CONTROLLERS } from './controllers.table.ts';
import type { ServerControllerEnv } from './environment.ts';

/** Starts controllers by name. `synced` resolves when the informers of all of them have synced. */
export function startControllers(names: ReadonlySet<string>, env: ServerControllerEnv): Running {
  const running = CONTROLLERS.filter(({ name }) => names.has(name)).flatMap((row) => row.start(env) ?? []);
  return {
    synced: Promise.all(running.map(({ synced }) => synced)).then(() => {}),
    stop: async () => void (await Promise.all(running.map((one) => one.stop()))),
  };
}
