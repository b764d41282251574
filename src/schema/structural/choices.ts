import { canonicalJson } from '#base';

/** The values of an `enum`, with what every check against them needs: there may be many values and many checks. */
export class Choices {
  /** The number of scalars, lists and objects in them. */
  readonly parts: number;
  readonly #choices: readonly unknown[];
  #texts: readonly string[] | undefined;
  #text: string | undefined;

  constructor(choices: readonly unknown[]) {
    this.#choices = choices;
    this.parts = partsIn(choices);
  }

  /** As messages name them. */
  get texts(): readonly string[] {
    return (this.#texts ??= this.#choices.map((choice) => (typeof choice === 'string' ? choice : canonicalJson(choice))));
  }

  /** The same for equal choices. */
  get text(): string {
    return (this.#text ??= this.texts.join());
  }
}

function partsIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, part) => sum + partsIn(part), 1);
}

const choicesByList = new WeakMap<readonly unknown[], Choices>();

/** Those of an `enum`, made once for each list. */
export function choicesOf(list: readonly unknown[]): Choices {
  let choices = choicesByList.get(list);
  if (choices === undefined) choicesByList.set(list, (choices = new Choices(list)));
  return choices;
}
