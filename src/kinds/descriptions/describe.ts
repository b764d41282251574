import { KINDS } from './kinds.table.ts';
import { MEMBERS } from './members.table.ts';
import { MESSAGES } from './messages.table.ts';

/** The description of a message by its bare name (`Pod`), or of one of its fields; undefined: there is none. For `explain` and other readers. */
export function describeSchema(name: string, member = ''): string | undefined {
  const own = ownOf(KINDS, name) ?? ownOf(MESSAGES, name);
  const words = own === undefined ? undefined : ownOf(own, member);
  if (words !== undefined) return words;
  if (member !== '') return ownOf(MEMBERS, member);
  return ofItsKind(name);
}

/** The description of a list, spec, status or condition, derived from its name. */
function ofItsKind(name: string): string | undefined {
  for (const [ending, begin] of [['List', 'A list of objects of the kind '], ['Spec', 'What is wanted of an object of the kind '], ['Status', 'What was found about an object of the kind ']] as const) {
    const kind = name.slice(0, -ending.length);
    if (name.endsWith(ending) && Object.hasOwn(KINDS, kind)) return `${begin}${kind}.`;
  }
  return name.endsWith('Condition') ? 'One finding about an object, with the time of its last change.' : undefined;
}

const ownOf = <T>(table: Readonly<Record<string, T>>, key: string): T | undefined => (Object.hasOwn(table, key) ? table[key] : undefined);
