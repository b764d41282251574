import { differ } from './check-reads.ts';
import { told, type Fact, type Facts, type Problem } from './facts.ts';
import type { History, Item, WatchEventRecord, WatchRecord } from './history.ts';
import { knownAt } from './known.ts';

/**
 * Watches are ordered (revisions rise), unique (each change once), reliable (none is missing up to the last that came), resumable (only
 * what was compacted is refused) and truthful about bookmarks (nothing up to one comes after it, or is missing before it).
 */
export function checkWatches(history: History, facts: Facts): readonly Problem[] {
  const known = knownAt(history);
  return history.watches.flatMap((watch, i) => {
    const name = `watch ${i} since ${watch.since}`;
    if (watch.isExpired && !mayBeExpired(watch, history)) return [`${name} is told that this is forgotten, and nothing was compacted that far`];
    const floor = watch.since === 'latest' ? known.before(watch.start) : 0;
    return checkStream(watch, watch.only === undefined ? facts : facts.only(watch.only), floor).map((what) => `${name} ${what}`);
  });
}

/** A watch that begins with a state begins at 0 for this. */
const mayBeExpired = ({ since, end }: WatchRecord, { compactions }: History): boolean =>
  compactions.some(({ before, start }) => start < end && (typeof since === 'number' ? since : 0) < before);

function checkStream(watch: WatchRecord, facts: Facts, floor: number): readonly string[] {
  const { events, since, completeTo = 0 } = watch;
  if (typeof since === 'number') return checkChanges(events, since, completeTo, facts);
  // The state it begins with may be that of any moment not older than it must be: one of them has to explain everything.
  const moments = [...new Set([floor, ...facts.all.map(({ revision }) => revision).filter((revision) => revision > floor)])];
  let nearest: readonly string[] | undefined;
  for (const moment of moments) {
    const problems = checkFrom(moment, events, completeTo, facts);
    if (problems.length === 0) return [];
    if (problems.length < (nearest?.length ?? Infinity)) nearest = problems;
  }
  return nearest ?? [];
}

function checkFrom(moment: number, events: readonly WatchEventRecord[], completeTo: number, facts: Facts): readonly string[] {
  const state = facts.stateAt(moment);
  const first = events.slice(0, state.length);
  const items = first.map((event) => (event.type === 'ADDED' ? event.item : undefined)).filter((item): item is Item => item !== undefined);
  const isCutOff = events.length < state.length && completeTo === 0;
  const difference = differ(isCutOff ? state.slice(0, events.length) : state, items);
  if (difference !== undefined) return [`begins at ${moment} and ${difference}`, ...checkChanges(events.slice(state.length), moment, completeTo, facts)];
  return checkChanges(events.slice(state.length), moment, completeTo, facts);
}

function checkChanges(events: readonly WatchEventRecord[], since: number, completeTo: number, facts: Facts): readonly string[] {
  const problems: string[] = [];
  const came = new Set<number>();
  let position = since;
  let bookmark = 0;
  for (const event of events) {
    if (event.type === 'BOOKMARK') {
      if (event.revision < position) problems.push(`has a bookmark at ${event.revision} behind ${position}`);
      bookmark = Math.max(bookmark, event.revision);
      position = Math.max(position, event.revision);
      continue;
    }
    const { revision } = event.item;
    if (came.has(revision)) problems.push(`gets ${revision} twice`);
    else if (revision <= bookmark) problems.push(`gets ${revision} after a bookmark at ${bookmark}`);
    else if (revision <= position) problems.push(`gets ${revision} after ${position}`);
    came.add(revision);
    position = Math.max(position, revision);
    const wrong = wrongType(event, facts);
    if (wrong !== undefined) problems.push(wrong);
  }
  const end = Math.max(position, completeTo);
  for (const fact of facts.all) if (fact.revision > since && fact.revision <= end && !came.has(fact.revision)) problems.push(`misses ${told(fact)}`);
  return problems;
}

function wrongType({ type, item }: Extract<WatchEventRecord, { readonly item: Item }>, facts: Facts): string | undefined {
  const before: Fact | undefined = facts.at(item.key, item.revision - 1);
  const expected = type === 'DELETED' ? 'DELETED' : before?.value === undefined ? 'ADDED' : 'MODIFIED';
  if (type !== expected) return `gets ${type} of ${item.key} at ${item.revision} in place of ${expected}`;
  if (type === 'DELETED' && before?.value !== item.value) return `gets DELETED of ${item.key} at ${item.revision} with ${item.value} in place of ${before?.value}`;
  return undefined;
}
