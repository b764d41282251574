import type { Commit, Revision, Write } from '../../engine.ts';

/** How this process changes the store: by itself, or through the one process that does. */
export interface Role {
  commit(write: Write): Promise<Commit>;
  compact(before: Revision): Promise<void>;
  /** Takes nothing more; resolves when nothing is under way any more. */
  close(): Promise<void>;
}
