import type { User } from '#request';
import type { AnyBinding, Subject } from './policy-parts.ts';

const SERVICE_ACCOUNT = 'system:serviceaccount:';

/** Whom a binding means, by the key that `userKeys` finds them with. A subject named twice counts once. */
export function subjectsOf({ subjects }: AnyBinding, namespace: string): ReadonlyMap<string, Subject> {
  const keys = new Map<string, Subject>();
  for (const subject of subjects ?? []) {
    const key = keyOf(subject, namespace);
    if (key !== undefined && !keys.has(key)) keys.set(key, subject);
  }
  return keys;
}

/** Everything a binding may call this user. */
export const userKeys = ({ name, groups }: User): readonly string[] => [
  `User ${name}`,
  ...new Set(groups.map((group) => `Group ${group}`)),
];

/** A service account is the user it acts as; without a namespace it is one of the binding's. */
function keyOf({ kind, name, namespace }: Subject, home: string): string | undefined {
  if (kind === 'User' || kind === 'Group') return `${kind} ${name}`;
  const where = namespace || home;
  return kind === 'ServiceAccount' && where !== '' ? `User ${SERVICE_ACCOUNT}${where}:${name}` : undefined;
}
