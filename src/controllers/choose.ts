import { CONTROLLERS } from './controllers.table.ts';

/** Every controller that is not opt-in. */
const ALL = '*';
const NONE = 'none';

/**
 * `*`, `*,-name`, `name,name`, `none` → names. `-name` wins over everything else. Throws an `Error` that lists the names when one is not known.
 */
export function chooseControllers(text: string): ReadonlySet<string> {
  const words = text.split(',').map((word) => word.trim()).filter((word) => word !== '');
  if (words.length === 1 && words[0] === NONE) return new Set();
  const unknown = words.map((word) => word.replace(/^-/, '')).filter((name) => name !== ALL && !CONTROLLERS.some((row) => row.name === name));
  if (unknown.length > 0) throw new Error(`there is no controller ${unknown.map((name) => JSON.stringify(name)).join(', ')}: ${known()}`);
  const isWanted = ({ name, isOptIn = false }: (typeof CONTROLLERS)[number]): boolean =>
    !words.includes(`-${name}`) && (words.includes(name) || (words.includes(ALL) && !isOptIn));
  return new Set(CONTROLLERS.filter(isWanted).map(({ name }) => name));
}

const known = (): string => `choose *, none, or some of ${CONTROLLERS.map(({ name }) => name).join(', ')}; -name leaves one out of *`;
