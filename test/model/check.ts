import { checkReads } from './check-reads.ts';
import { checkWatches } from './check-watches.ts';
import { checkWrites } from './check-writes.ts';
import { gatherFacts, type Problem } from './facts.ts';
import type { History } from './history.ts';

/** What a history shows that no correct server does; nothing when all is well. */
export function check(history: History): readonly Problem[] {
  const { facts, problems } = gatherFacts(history);
  // A revision that stands for two things makes nonsense of the rest.
  if (problems.length > 0) return problems;
  return [...checkWrites(history, facts), ...checkReads(history, facts), ...checkWatches(history, facts)];
}
