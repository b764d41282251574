import { canonicalJson, isTurnLong, nextTurn } from '#base';
import type { ApiObject, Brand } from '#api';
import type { Informer } from '#client';
import { addUsage, isInScope, quotaUsageOf, scopesOf, usageDifference, usageEndsAtMs, type ResourceQuota, type Usage } from '#kinds';

type Spec = ResourceQuota['spec'];
type Scopes = ReturnType<typeof scopesOf>;

/** The objects that are summed up: all of one resource. */
export interface SummedResource {
  readonly group: string;
  readonly plural: string;
  readonly informer: Pick<Informer, 'list'>;
  readonly brand: Brand;
}

/** The usage of the objects of one namespace that match some scopes. */
class Total {
  readonly scopes: Scopes;
  readonly sum: Parameters<typeof addUsage>[0] = new Map();
  /** The time for which the sum holds: amounts that time changes are added and taken off as they were then. */
  atMs: number;
  /** After this time it no longer holds. */
  endsAtMs = Infinity;
  counted: Promise<void> = Promise.resolve();

  constructor(scopes: Scopes, atMs: number) {
    this.scopes = scopes;
    this.atMs = atMs;
  }
}

const NOTHING: Usage = new Map();

/**
 * What the objects of one resource amount to, for the quotas that count them. A sum is made once for all quotas of a namespace with the same scopes,
 * and follows the objects from then on: a change costs the same however many objects there are.
 */
export class QuotaTotals {
  readonly #resource: SummedResource;
  /** By namespace, then by the text of the scopes. */
  readonly #totals = new Map<string, Map<string, Total>>();

  constructor(resource: SummedResource) {
    this.#resource = resource;
  }

  /** Sees to it that `of` knows the sum. Objects that come and go meanwhile are in it. */
  async count(namespace: string, spec: Spec, nowMs: number): Promise<void> {
    const scopes = scopesOf(spec);
    const name = canonicalJson(scopes);
    const totals = this.#totals.get(namespace) ?? new Map<string, Total>();
    this.#totals.set(namespace, totals);
    let total = totals.get(name);
    if (total === undefined) {
      total = new Total(scopes, nowMs);
      totals.set(name, total);
      total.counted = this.#addAll(total, namespace);
    }
    await total.counted;
  }

  /** The sum, as it is now; undefined: it was not counted, or was forgotten since. */
  of(namespace: string, spec: Spec, nowMs: number): Usage | undefined {
    const total = this.#totals.get(namespace)?.get(canonicalJson(scopesOf(spec)));
    if (total !== undefined && total.endsAtMs < nowMs) this.#advance(total, namespace, nowMs);
    return total?.sum;
  }

  /** An object has taken the place of another; undefined: there is none. */
  changed(namespace: string, now: ApiObject | undefined, before: ApiObject | undefined): void {
    for (const total of this.#totals.get(namespace)?.values() ?? []) {
      if (before !== undefined) addUsage(total.sum, usageDifference(NOTHING, this.#usageIn(total, before)));
      if (now !== undefined) this.#add(total, now);
    }
  }

  /** Forgets the sums of a namespace that none of its quotas needs. */
  keep(namespace: string, specs: readonly Spec[]): void {
    const totals = this.#totals.get(namespace);
    if (totals === undefined) return;
    const needed = new Set(specs.map((spec) => canonicalJson(scopesOf(spec))));
    for (const name of totals.keys()) if (!needed.has(name)) totals.delete(name);
    if (totals.size === 0) this.#totals.delete(namespace);
  }

  /** What changes while this waits for a turn is added to, or taken off, the same sum: in the end it is the same in any order. */
  async #addAll(total: Total, namespace: string): Promise<void> {
    for (const object of this.#resource.informer.list(namespace)) {
      if (isTurnLong()) await nextTurn();
      this.#add(total, object);
    }
  }

  #add(total: Total, object: ApiObject): void {
    addUsage(total.sum, this.#usageIn(total, object));
    const endsAtMs = usageEndsAtMs(object.metadata);
    if (endsAtMs >= total.atMs && endsAtMs < total.endsAtMs) total.endsAtMs = endsAtMs;
  }

  /** Counts what time has changed since the time of the sum. */
  #advance(total: Total, namespace: string, nowMs: number): void {
    const ending = this.#resource.informer.list(namespace).filter(({ metadata }) => {
      const endsAtMs = usageEndsAtMs(metadata);
      return endsAtMs >= total.atMs && endsAtMs < Infinity;
    });
    for (const object of ending) addUsage(total.sum, usageDifference(NOTHING, this.#usageIn(total, object)));
    total.atMs = nowMs;
    total.endsAtMs = Infinity;
    for (const object of ending) this.#add(total, object);
  }

  #usageIn({ scopes, atMs }: Total, object: ApiObject): Usage {
    const { group, plural, brand } = this.#resource;
    const subject = { group, plural, object };
    return scopes.every((scope) => isInScope(scope, subject)) ? quotaUsageOf(subject, { brand, nowMs: atMs }) : NOTHING;
  }
}
