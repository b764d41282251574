// What a table of states and events is good for: every cell tried on the shortest way there, and random walks that must stay within it.
import assert from 'node:assert/strict';
import fc from 'fast-check';

/** The server says no, and nothing changes. */
export const REFUSED = 'refused';

/** What follows each event in each state. A cell that is missing does not compile. */
export type Table<State extends string, Event extends string> = Readonly<Record<State, Readonly<Record<Event, State | typeof REFUSED>>>>;

/** An object under test, made anew for every walk. */
export interface Subject<State extends string, Event extends string> {
  readonly begin: State;
  /** Makes it happen; resolves to the status of the answer. */
  send(event: Event): Promise<number>;
  /** Looks at the object from outside. */
  state(): Promise<State>;
}

/** Makes a subject in its first state. */
export type Make<State extends string, Event extends string> = () => Promise<Subject<State, Event>>;

export async function walk<State extends string, Event extends string>(table: Table<State, Event>, make: Make<State, Event>, events: readonly Event[]): Promise<void> {
  const subject = await make();
  let state = subject.begin;
  assert.equal(await subject.state(), state, 'where it begins');
  for (const event of events) {
    const status = await subject.send(event);
    const next: State | typeof REFUSED = table[state][event];
    assert.equal(status >= 300, next === REFUSED, `${event} when ${state} was answered with ${status}`);
    const from = state;
    state = next === REFUSED ? state : (next as State);
    assert.equal(await subject.state(), state, `${event} when ${from} leads to another state`);
  }
}

/** Every cell, on the shortest way there; fails too where a state cannot be reached. */
export async function walkEveryCell<State extends string, Event extends string>(table: Table<State, Event>, make: Make<State, Event>, begin: State): Promise<void> {
  const ways = new Map<State, readonly Event[]>([[begin, []]]);
  for (const [state, way] of ways) {
    for (const event of Object.keys(table[state]) as Event[]) {
      const next = table[state][event];
      if (next !== REFUSED && !ways.has(next as State)) ways.set(next as State, [...way, event]);
      await walk(table, make, [...way, event]);
    }
  }
  assert.deepEqual([...ways.keys()].sort(), Object.keys(table).sort(), 'every state can be reached');
}

export const walkAtRandom = <State extends string, Event extends string>(table: Table<State, Event>, make: Make<State, Event>, events: readonly Event[]): Promise<void> =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...events), { minLength: 3, maxLength: 15, size: 'max' }), (steps) => walk(table, make, steps)),
    { numRuns: 40 },
  );
