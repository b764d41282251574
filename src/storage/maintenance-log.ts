import { seldom } from '#base';
import type { EngineOptions } from './driver.ts';

/** Logs that maintenance could not do `what`, and why. */
export type MaintenanceLog = (what: string, cause: unknown) => void;

/** Logs what keeps maintenance from its work, which is tried again and again: the same is told seldom, and nothing of a cause that `isKnown`. */
export function maintenanceLog({ clock, log }: Pick<EngineOptions, 'clock' | 'log'>, isKnown: (cause: unknown) => boolean): MaintenanceLog {
  const isDue = seldom(clock);
  return (what, cause) => {
    if (!isKnown(cause) && isDue(`${what}: ${String(cause)}`)) log(what, { cause: String(cause) });
  };
}
