import type { Log } from '#base';

/** A log whose lines are lost where it throws, as one does whose destination is closed: what is logged is no part of the work that logs it. */
export function unfailingLog(log: Log): Log {
  const line =
    (level: keyof Log): Log['info'] =>
    (message, fields) => {
      try {
        log[level](message, fields);
      } catch {
        // There is nowhere else to say it.
      }
    };
  return { info: line('info'), warn: line('warn'), error: line('error') };
}
