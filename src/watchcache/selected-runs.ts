import { GenerationCache } from '#base';
import type { ApiObject } from '#api';
import type { Run, Stored } from '#storage';

/** Selectors whose result is kept per run: few selectors are repeated often. */
const MAX_SELECTORS = 8;
/** In characters. Longer selector texts are not worth their memory. */
const MAX_TEXT_LENGTH = 256;

/** The texts of recent selectors, of all resources together. Bounded by number, since each text is short. */
const recent = new GenerationCache<string, true>(1_000, () => 1);

/** `text` if this selector was used before and may be used again; undefined if its result is not worth keeping. */
export function repeated(text: string | undefined): string | undefined {
  if (text === undefined || text.length > MAX_TEXT_LENGTH) return undefined;
  if (recent.get(text) === true) return text;
  recent.set(text, true);
  return undefined;
}

type Selected = Map<string, Run<ApiObject>>;

/** The results of selectors, by run. They live as long as the run, which is immutable. */
const known = new WeakMap<Run<ApiObject>, Selected>();

/**
 * The objects of a run that match, in order, as a run. `text` identifies `matches`: with the same text the same run is returned, without evaluating the
 * selector, so that encodings cached by that run are found again. A change of the state replaces one run; results for the others stay valid.
 */
export function selectedOf<T extends ApiObject>(run: Run<T>, matches: (stored: Stored<T>) => boolean, text: string | undefined): Run<T> {
  const before = text === undefined ? undefined : known.get(run)?.get(text);
  if (before !== undefined) return before as unknown as Run<T>;
  const items = run.items.filter(matches);
  const selected = items.length === run.items.length ? run : { items };
  if (text !== undefined) keep(run, text, selected);
  return selected;
}

function keep(run: Run, text: string, selected: Run): void {
  let texts = known.get(run);
  if (texts === undefined) {
    texts = new Map();
    known.set(run, texts);
  }
  texts.set(text, selected);
  const [oldest] = texts.keys();
  if (texts.size > MAX_SELECTORS && oldest !== undefined) texts.delete(oldest);
}
