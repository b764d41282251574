import { isTurnLong, nextTurn } from '#base';

/** Maps the members of a table that may be long, in as many turns of the event loop as it takes. */
export async function mapInTurns<T, R>(table: Readonly<Record<string, T>>, map: (member: T, name: string) => R): Promise<Readonly<Record<string, R>>> {
  const mapped: [name: string, member: R][] = [];
  for (const [name, member] of Object.entries(table)) {
    if (isTurnLong()) await nextTurn();
    mapped.push([name, map(member, name)]);
  }
  return Object.fromEntries(mapped);
}
