/** The type in the `# TYPE` line. */
export type MetricType = 'counter' | 'gauge' | 'histogram';

/** One metric: its name, what it means, and its series. */
export interface FamilyFacts {
  readonly name: string;
  readonly type: MetricType;
  /** One sentence; ends with a full stop. */
  readonly help: string;
  readonly labels: readonly string[];
  /** The release (as `1.23.0`) in which the metric was deprecated. */
  readonly deprecatedSince?: string | undefined;
}

/** Further label sets are counted together under `other`, which bounds memory and the size of a scrape whatever clients do. */
const MAX_SERIES = 10_000;
const OTHER = 'other';
/** Replaces label values that are not on the operator's allow-list. */
const UNEXPECTED = 'unexpected';

/** Label values that stand for several others. */
export const STAND_INS: ReadonlySet<string> = new Set([OTHER, UNEXPECTED]);

const SEPARATOR = '\u0000';

/** The series of one metric by their labels. */
export class Family<S> {
  readonly facts: FamilyFacts;
  readonly #create: () => S;
  readonly #allowed: readonly (readonly string[] | undefined)[] | undefined;
  readonly #series = new Map<string, { readonly labels: string; readonly one: S }>();

  /** `allowed`: for each label the values that are shown as they are, or undefined for all. */
  constructor(facts: FamilyFacts, create: () => S, allowed: readonly (readonly string[] | undefined)[] = []) {
    this.facts = facts;
    this.#create = create;
    this.#allowed = allowed.some((values) => values !== undefined) ? allowed : undefined;
  }

  /** The series with these label values, in the order of the label names; created on first use. Code that counts often keeps the result. */
  withLabels(...given: readonly string[]): S {
    const values = this.#allowed === undefined ? given : given.map((value, i) => ((this.#allowed?.[i]?.includes(value) ?? true) ? value : UNEXPECTED));
    const key = values.join(SEPARATOR);
    const known = this.#series.get(key);
    if (known !== undefined) return known.one;
    if (this.#series.size >= MAX_SERIES) return this.#overflow();
    return this.#add(key, values);
  }

  /** Removes all series, for metrics that are read anew for every scrape. */
  clear(): void {
    this.#series.clear();
  }

  /** Keeps only the series whose values a test accepts, in the order of the label names. What else is still counted shows nowhere. */
  retain(isKept: (values: readonly string[]) => boolean): void {
    for (const key of this.#series.keys()) if (!isKept(key.split(SEPARATOR))) this.#series.delete(key);
  }

  get series(): Iterable<{ readonly labels: string; readonly one: S }> {
    return this.#series.values();
  }

  #overflow(): S {
    const values = this.facts.labels.map(() => OTHER);
    return this.#series.get(values.join(SEPARATOR))?.one ?? this.#add(values.join(SEPARATOR), values);
  }

  #add(key: string, values: readonly string[]): S {
    const labels = this.facts.labels.map((name, i) => `${name}="${escapeValue(values[i] ?? '')}"`).join(',');
    const one = this.#create();
    this.#series.set(key, { labels, one });
    return one;
  }
}

const escapeValue = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
