import type { FlagValues } from '../parse-flags.ts';
import { otherDialectIn } from './store-of.ts';

/** A notice where an empty store begins beside one of another dialect, whose objects would seem to be lost. */
export function otherDialectLines(flags: FlagValues): readonly string[] {
  if (flags.text('store') !== undefined || flags.text('etcd-servers') !== undefined) return [];
  const other = otherDialectIn(flags);
  if (other === undefined) return [];
  return [`orch: ${flags.text('data-dir') ?? '.'} has a store of the dialect ${other} and none of ${flags.text('dialect') ?? ''}: an empty one is made. --dialect=${other} serves what there is\n`];
}
