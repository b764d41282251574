import { GenerationCache } from '#base';
import type { ApiObject } from '#api';
import type { Run, Stored } from '#storage';

/** Selectors remembered per run: those that clients ask for again and again are few. */
const MAX_SELECTORS = 8;
/** A longer text is not worth its memory. */
const MAX_TEXT_LENGTH = 256;

/** Of all resources together. Their number is what counts: each is short. */
const asked = new GenerationCache<string, true>(1_000, () => 1);

/** `text` where it was asked for before and may be again; undefined where remembering what it takes would be for nothing. */
export function repeated(text: string | undefined): string | undefined {
  if (text === undefined || text.length > MAX_TEXT_LENGTH) return undefined;
  if (asked.get(text) === true) return text;
  asked.set(text, true);
  return undefined;
}

type Selected = Map<string, Run<ApiObject>>;

/** What selectors took of runs. As long-lived as the run, and runs never change. */
const known = new WeakMap<Run<ApiObject>, Selected>();

/**
 * The entries of a run that match, in order. `text` stands for what `matches` does: asked for again, the same run is returned without a look
 * at the entries, so that what others keep with it is found again. A change of the state makes one run anew; the rest stays known.
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
