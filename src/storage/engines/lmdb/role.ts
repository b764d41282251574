import type { Commit, Write } from '../../engine.ts';
import type { Revision } from '../../entry.ts';

/** How this process changes the store: by writing itself, or through the process that writes. */
export interface Role {
  commit(write: Write): Promise<Commit>;
  compact(before: Revision): Promise<void>;
  /** Refuses further changes; resolves when none is in progress. */
  close(): Promise<void>;
}
