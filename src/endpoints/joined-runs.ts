import { GenerationCache } from '#base';
import type { Run } from '#registry';

/** The bound of the cache of joined runs, for all lists of the process together. */
const MAX_BYTES = 24 * 1024 * 1024;
/** A single entry needs no joining. */
const MIN_ITEMS = 2;
/**
 * Longer runs are sent entry by entry, which costs large entries nothing; joined copies of them, one for each response under way, would fill the
 * memory.
 */
const MAX_RUN_BYTES = 256 * 1024;

/** `form`: kind and version of the list. Only the form that was requested last is kept. */
interface Joined {
  readonly form: string;
  readonly bytes: Uint8Array;
}

/**
 * The joined bytes of each run; the reference is empty once they are evicted. Only listings keep a run alive, and only `kept` keeps its bytes alive.
 */
const joined = new WeakMap<Run, WeakRef<Joined>>();
const kept = new GenerationCache<Joined, number>(MAX_BYTES, (bytes) => bytes);
/** The form in which a run was listed last. */
const seen = new WeakMap<Run, string>();

/** Whether the joined bytes of this run are cached in this form. */
export const isJoined = (run: Run, form: string): boolean => joined.get(run)?.deref()?.form === form;

/**
 * The items of a run as they appear in a JSON list, in one piece; undefined when the run is listed in this form for the first time, since most lists
 * are requested once, and when joining it does not pay. Runs are immutable, so a repeated list costs little more than sending it. `list` encodes a
 * list of these items alone.
 */
export function joinedRun(run: Run, form: string, list: () => readonly Uint8Array[]): Uint8Array | undefined {
  if (run.items.length < MIN_ITEMS) return undefined;
  const before = joined.get(run)?.deref();
  // The look-up marks the entry as recently used.
  if (before?.form === form && kept.get(before) !== undefined) return before.bytes;
  if (seen.get(run) !== form) {
    seen.set(run, form);
    return undefined;
  }
  // Without the envelope before and after the items.
  const pieces = list().slice(1, -1);
  if (pieces.reduce((sum, piece) => sum + piece.length, 0) > MAX_RUN_BYTES) return undefined;
  const made: Joined = { form, bytes: concatenated(pieces) };
  joined.set(run, new WeakRef(made));
  kept.set(made, made.bytes.length);
  return made.bytes;
}

/** Copied into memory of its own: a slice of a pooled buffer would keep the whole pool alive. */
function concatenated(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
