import type { Facts, Problem } from './facts.ts';
import type { GetRecord, History, Item, ListRecord } from './history.ts';
import { knownAt, type Known } from './known.ts';

/** Lists show one moment, no older than they must be; so do single reads. */
export function checkReads(history: History, facts: Facts): readonly Problem[] {
  const known = knownAt(history);
  return [
    ...history.lists.flatMap((list) => checkList(list, facts, known)),
    ...history.gets.flatMap((get) => checkGet(get, facts, known)),
  ];
}

function checkList({ wanted, revision, items, start }: ListRecord, facts: Facts, known: Known): readonly Problem[] {
  const problems: Problem[] = [];
  const floor = floorOf({ wanted, start }, known);
  if (revision < floor) problems.push(`a list (${JSON.stringify(wanted)}) shows ${revision}, and ${floor} was known before`);
  if (typeof wanted === 'object' && 'exactly' in wanted && revision !== wanted.exactly) problems.push(`a list of ${wanted.exactly} shows ${revision}`);
  const difference = differ(facts.stateAt(revision), items);
  if (difference !== undefined) problems.push(`a list (${JSON.stringify(wanted)}) of ${revision} ${difference}`);
  return problems;
}

function checkGet({ key, wanted, found, start, end }: GetRecord, facts: Facts, known: Known): readonly Problem[] {
  const floor = floorOf({ wanted, start }, known);
  const ceiling = known.firstAfter(end);
  // The states between the two, beginning with the one that stood at the lower.
  const states = [facts.at(key, floor), ...facts.ofKey(key).filter(({ revision }) => revision > floor && revision < ceiling)];
  const wasSo = states.some((fact) => (found === undefined ? fact?.value === undefined : fact?.revision === found.revision && fact.value === found.value));
  if (wasSo) return [];
  return [`a read of ${key} (${JSON.stringify(wanted)}) finds ${found === undefined ? 'nothing' : `${found.value} at ${found.revision}`}, and from ${floor} on that was not so`];
}

function floorOf({ wanted, start }: Pick<ListRecord, 'wanted' | 'start'>, known: Known): number {
  if (wanted === 'latest') return known.before(start);
  if (wanted === 'any') return 0;
  return 'exactly' in wanted ? wanted.exactly : wanted.notOlderThan;
}

/** What is not as it should be, or undefined. */
export function differ(expected: readonly Item[], items: readonly Item[]): string | undefined {
  for (let i = 0; i < Math.max(expected.length, items.length); i++) {
    const [should, is] = [expected[i], items[i]];
    if (should?.key === is?.key && should?.revision === is?.revision && should?.value === is?.value) continue;
    const text = (item: Item | undefined): string => (item === undefined ? 'nothing' : `${item.key} = ${item.value} at ${item.revision}`);
    return `shows ${text(is)} in place of ${text(should)}`;
  }
  return undefined;
}
