import { GenerationCache } from '#base';
import type { Run } from '#registry';

/** For all lists of the process together. */
const MAX_BYTES = 24 * 1024 * 1024;
/** Shorter runs are parts of pages: nobody asks for them again. */
const MIN_ITEMS = 8;

interface Joined {
  /** Kind and version of the list: only the last one asked for is kept. */
  readonly form: string;
  /** undefined: seen once. */
  readonly bytes: Uint8Array | undefined;
}

const kept = new GenerationCache<Run, Joined>(MAX_BYTES, ({ bytes }) => bytes?.length ?? 100);

/**
 * The items of a run as they stand in a JSON list, in one piece; undefined when the run is listed for the first time, since most lists are
 * asked for once. Runs do not change, so lists that are asked for again cost little more than sending them.
 * `list` makes the list of these items alone.
 */
export function joinedRun(run: Run, form: string, list: () => readonly Uint8Array[]): Uint8Array | undefined {
  if (run.items.length < MIN_ITEMS) return undefined;
  const known = kept.get(run);
  if (known?.form === form && known.bytes !== undefined) return known.bytes;
  kept.delete(run);
  // Without what stands before and behind the items.
  const bytes = known?.form === form ? Buffer.concat(list().slice(1, -1)) : undefined;
  kept.set(run, { form, bytes });
  return bytes;
}
