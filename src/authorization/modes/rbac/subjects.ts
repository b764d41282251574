import { accountUserName } from '#api';
import type { User } from '#request';
import type { AnyBinding, Subject } from './policy-parts.ts';

/** The subjects of a binding by the keys of `userKeys`. A subject that is named twice counts once. */
export function subjectsOf({ subjects }: AnyBinding, namespace: string): ReadonlyMap<string, Subject> {
  const keys = new Map<string, Subject>();
  for (const subject of subjects ?? []) {
    const key = keyOf(subject, namespace);
    if (key !== undefined && !keys.has(key)) keys.set(key, subject);
  }
  return keys;
}

/** The subject keys of a user: its name and its groups. */
export const userKeys = ({ name, groups }: User): readonly string[] => [
  `User ${name}`,
  ...new Set(groups.map((group) => `Group ${group}`)),
];

/** A service account has the key of the user that it acts as; without a namespace it is in that of the binding. */
function keyOf({ kind, name, namespace }: Subject, home: string): string | undefined {
  if (kind === 'User' || kind === 'Group') return `${kind} ${name}`;
  const where = namespace || home;
  return kind === 'ServiceAccount' && where !== '' ? `User ${accountUserName(where, name)}` : undefined;
}
