import { Family, type FamilyFacts, type MetricType } from './family.ts';
import { isHidden } from './lifetime.ts';
import { Histogram, Value } from './series.ts';

/** Updates metrics that are read and not counted. Runs before every scrape; may take time, must not block the event loop. */
export type Collect = () => void | Promise<void>;

/** Which metrics and label values an operator wants to see. */
export interface MetricsFilter {
  /** Metrics that are not shown. */
  readonly disabled?: readonly string[];
  /** By `metric,label`: the only label values that are shown as they are. */
  readonly allowedLabels?: ReadonlyMap<string, readonly string[]>;
  /** The release (as `1.23`) whose set of hidden metrics applies. Default: none is hidden. */
  readonly release?: string;
}

/**
 * The metrics of one server. Not taken from a library: series are bound once and counted without a look-up of labels, and a scrape is written in
 * slices.
 * @spec 6
 */
export class Metrics {
  readonly #families: Family<Value | Histogram>[] = [];
  readonly #collectors: Collect[] = [];
  readonly #disabled: ReadonlySet<string>;
  readonly #allowedLabels: ReadonlyMap<string, readonly string[]>;
  readonly #release: string | undefined;

  constructor({ disabled = [], allowedLabels = new Map(), release }: MetricsFilter = {}) {
    this.#release = release;
    this.#disabled = new Set(disabled);
    this.#allowedLabels = allowedLabels;
  }

  counter(name: string, help: string, labels: readonly string[] = [], deprecatedSince?: string): Family<Value> {
    return this.#add({ name, help, labels, type: 'counter', deprecatedSince }, () => new Value());
  }

  gauge(name: string, help: string, labels: readonly string[] = [], deprecatedSince?: string): Family<Value> {
    return this.#add({ name, help, labels, type: 'gauge', deprecatedSince }, () => new Value());
  }

  histogram(name: string, help: string, bounds: readonly number[], labels: readonly string[] = []): Family<Histogram> {
    return this.#add({ name, help, labels, type: 'histogram' }, () => new Histogram(bounds));
  }

  collect(run: Collect): void {
    this.#collectors.push(run);
  }

  /** All metrics that have been declared. */
  get families(): Iterable<Family<Value | Histogram>> {
    return this.#families;
  }

  /** All shown metrics, sorted by name, after every collector has run. A collector that fails affects no other metric. */
  async read(): Promise<readonly Family<Value | Histogram>[]> {
    await Promise.allSettled(this.#collectors.map(async (run) => run()));
    return this.#families.filter(({ facts }) => this.#isShown(facts)).toSorted((a, b) => (a.facts.name < b.facts.name ? -1 : 1));
  }

  #isShown({ name, deprecatedSince }: FamilyFacts): boolean {
    const isTooOld = deprecatedSince !== undefined && this.#release !== undefined && isHidden(deprecatedSince, this.#release);
    return !isTooOld && !this.#disabled.has(name);
  }

  #add<S extends Value | Histogram>(facts: FamilyFacts & { readonly type: MetricType }, create: () => S): Family<S> {
    const family = new Family<S>(facts, create, facts.labels.map((label) => this.#allowedLabels.get(`${facts.name},${label}`)));
    this.#families.push(family);
    return family;
  }
}
