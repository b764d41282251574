import type { ServerOptions } from '#server';
import type { FlagValues } from '../parse-flags.ts';

/** How long a server takes to stop at most, from the flags. */
export const readShutdown = (flags: FlagValues): Required<Pick<ServerOptions, 'shutdownDelayMs' | 'shutdownGraceMs'>> => ({
  shutdownDelayMs: flags.milliseconds('shutdown-delay-duration') ?? 0,
  shutdownGraceMs: (flags.number('shutdown-grace-seconds') ?? 0) * 1000,
});
