import { GenerationCache } from './generation-cache.ts';
import { ownText } from './own-text.ts';

export interface KnownTextsBounds {
  /** So many are remembered, about. */
  readonly max: number;
  /** Longer texts are rare, and would fill the memory: what they mean is made each time. */
  readonly maxLength: number;
}

/** What is made of short texts that come again and again, as `make` gives it: that must hang on the text alone. `undefined` is not remembered. */
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
