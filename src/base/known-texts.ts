import { GenerationCache } from './generation-cache.ts';
import { ownText } from './own-text.ts';

export interface KnownTextsBounds {
  /** About how many results are cached. */
  readonly max: number;
  /** The longest text, in characters, whose result is cached. */
  readonly maxLength: number;
}

/** Caches the results of `make` for short texts that are repeated often. They must depend on the text alone. `undefined` is not cached. */
export class KnownTexts<V> {
  readonly #known: GenerationCache<string, V>;
  readonly #maxLength: number;
  readonly #make: (text: string) => V;

  constructor({ max, maxLength }: KnownTextsBounds, make: (text: string) => V) {
    this.#known = new GenerationCache(max, () => 1);
    this.#maxLength = maxLength;
    this.#make = make;
  }

  of(text: string): V {
    if (text.length > this.#maxLength) return this.#make(text);
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const own = ownText(text);
    const made = this.#make(own);
    if (made !== undefined) this.#known.set(own, made);
    return made;
  }
}
