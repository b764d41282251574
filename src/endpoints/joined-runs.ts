import { GenerationCache } from '#base';
import type { Run } from '#registry';

/** For all lists of the process together. */
const MAX_BYTES = 24 * 1024 * 1024;
/** One entry is joined with nothing. */
const MIN_ITEMS = 2;
/** Large entries leave in pieces of their own without loss, and copies of them, one for each answer under way, would fill the memory. */
const MAX_RUN_BYTES = 256 * 1024;

/** Kind and version of the list stand for the form: only the last one asked for is kept. */
interface Joined {
  readonly form: string;
  readonly bytes: Uint8Array;
}

/** undefined: gone again. Runs are held by those who list them only, bytes by `kept` only. */
const joined = new WeakMap<Run, WeakRef<Joined>>();
const kept = new GenerationCache<Joined, number>(MAX_BYTES, (bytes) => bytes);
/** The form in which a run was listed last. */
const seen = new WeakMap<Run, string>();

/** Whether `joinedRun` has it at hand. */
export const isJoined = (run: Run, form: string): boolean => joined.get(run)?.deref()?.form === form;

/**
 * The items of a run as they stand in a JSON list, in one piece; undefined when the run is listed for the first time, since most lists are
 * asked for once. Runs do not change, so lists that are asked for again cost little more than sending them.
 * `list` makes the list of these items alone.
 */
export function joinedRun(run: Run, form: string, list: () => readonly Uint8Array[]): Uint8Array | undefined {
  if (run.items.length < MIN_ITEMS) return undefined;
  const before = joined.get(run)?.deref();
  // Asking keeps it among what was used lately.
  if (before?.form === form && kept.get(before) !== undefined) return before.bytes;
  if (seen.get(run) !== form) {
    seen.set(run, form);
    return undefined;
  }
  // Without what stands before and behind the items.
  const pieces = list().slice(1, -1);
  if (pieces.reduce((sum, piece) => sum + piece.length, 0) > MAX_RUN_BYTES) return undefined;
  const made: Joined = { form, bytes: concatenated(pieces) };
  joined.set(run, new WeakRef(made));
  kept.set(made, made.bytes.length);
  return made.bytes;
}

/** In memory of its own: a part of a pool would keep the whole of it. */
function concatenated(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
