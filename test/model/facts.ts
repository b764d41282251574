import type { History, Item, Seen, Selected } from './history.ts';

/** What became of one key at one revision. */
export interface Fact {
  readonly key: string;
  readonly revision: number;
  readonly value: Seen;
}

/** What is wrong with a history, for a person to read. */
export type Problem = string;

/** All that is known to have been written, in the order of the revisions. */
export class Facts {
  readonly all: readonly Fact[];
  readonly #ofKey = new Map<string, Fact[]>();

  constructor(facts: readonly Fact[]) {
    this.all = facts.toSorted((one, other) => one.revision - other.revision);
    for (const fact of this.all) {
      const those = this.#ofKey.get(fact.key);
      if (those === undefined) this.#ofKey.set(fact.key, [fact]);
      else those.push(fact);
    }
  }

  ofKey(key: string): readonly Fact[] {
    return this.#ofKey.get(key) ?? [];
  }

  /** The last fact of the key up to `revision`. */
  at(key: string, revision: number): Fact | undefined {
    return this.ofKey(key).findLast((fact) => fact.revision <= revision);
  }

  before(fact: Fact): Fact | undefined {
    return this.at(fact.key, fact.revision - 1);
  }

  /** The same as a watch sees it that asks for some of it: what does not match is not there. */
  only({ key, ending = '' }: Selected): Facts {
    const seen: Fact[] = [];
    for (const fact of this.all) {
      if (key !== undefined && fact.key !== key) continue;
      const matches = ({ value }: Fact): boolean => value?.endsWith(ending) === true;
      const before = this.before(fact);
      if (matches(fact)) seen.push(fact);
      else if (before !== undefined && matches(before)) seen.push({ ...fact, value: undefined });
    }
    return new Facts(seen);
  }

  /** What stood at `revision`, in the order of the keys. */
  stateAt(revision: number): readonly Item[] {
    const items: Item[] = [];
    for (const key of this.#ofKey.keys()) {
      const fact = this.at(key, revision);
      if (fact?.value !== undefined) items.push({ key, revision: fact.revision, value: fact.value });
    }
    return items.sort((one, other) => (one.key < other.key ? -1 : 1));
  }
}

export const told = ({ key, revision, value }: Fact): string => `${key} ${value === undefined ? 'removed' : `= ${value}`} at ${revision}`;

/** From every answer and event. Says where one revision stands for two changes. */
export function gatherFacts(history: History): { readonly facts: Facts; readonly problems: readonly Problem[] } {
  const at = new Map<number, Fact>();
  const problems = new Set<Problem>();
  const learn = ({ key, revision, value }: Fact, from: string): void => {
    const fact: Fact = { key, revision, value };
    const known = at.get(revision);
    if (known === undefined) at.set(revision, fact);
    else if (known.key !== key || known.value !== value) problems.add(`one revision for two changes: ${told(known)}, and ${told(fact)} (${from})`);
  };
  for (const { key, value, revision, outcome, op } of history.writes) {
    if (outcome === 'done' && op !== 'delete' && revision !== undefined) learn({ key, revision, value }, 'write');
  }
  for (const { found } of history.gets) if (found !== undefined) learn(found, 'get');
  for (const { items } of history.lists) for (const item of items) learn(item, 'list');
  for (const { events, only } of history.watches) {
    for (const event of events) {
      if (event.type === 'BOOKMARK') continue;
      if (event.type !== 'DELETED') learn(event.item, 'watch');
      // With a selector that may only mean that it stopped to match.
      else if (only?.ending === undefined) learn({ ...event.item, value: undefined }, 'watch');
    }
  }
  return { facts: new Facts([...at.values()]), problems: [...problems] };
}
