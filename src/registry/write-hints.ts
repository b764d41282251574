import type { WriteHints } from '#storage';
import { prerequisitePreconditions } from './prerequisites.ts';
import type { Guard, Registry } from './registry.ts';

/** What the store is told of a write: a kind may limit the life of its objects. `assume`: the object is believed to be new. */
export const writeHints = (of: Registry, guard: Guard, assume?: 'absent'): WriteHints => ({
  dryRun: guard.dryRun,
  ttlSeconds: of.resource.kind.ttlSeconds,
  assume,
  preconditions: prerequisitePreconditions(of, guard),
  beforeCommit: guard.beforeCommit,
});
