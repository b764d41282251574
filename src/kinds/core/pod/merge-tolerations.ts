import { isDeepEqual } from '#base';
import type { Toleration } from './toleration.ts';

/** Concatenates two lists, without tolerations that another one covers. Of equal ones the first stays. */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second];
  const later = new Coverage();
  const isCoveredLater = all.toReversed().map((one) => {
    const isCovered = later.hasWider(one);
    later.add(one);
    return isCovered;
  });
  const merged = new Coverage();
  return all.filter((one, position) => {
    if (merged.has(one) || isCoveredLater[all.length - 1 - position] === true) return false;
    merged.add(one);
    return true;
  });
}

/** Tells of a toleration whether one of these covers it. */
export function coveredBy(list: readonly Toleration[]): (one: Toleration) => boolean {
  const coverage = new Coverage();
  for (const one of list) coverage.add(one);
  return (one) => coverage.has(one);
}

/** Tolerations that differ in nothing but their time: the longest time, and who has it. */
interface Longest {
  readonly seconds: number;
  readonly one: Toleration;
  /** Another one with the same time, written differently. */
  readonly other?: Toleration;
}

/**
 * What some tolerations cover: one covers those of its key, or with `Exists` and without a key those of any, that have its effect, where it has one, its
 * value, unless it says `Exists`, and, where it is about `NoExecute`, no longer time. Lists may be long, and each is not compared with each.
 */
class Coverage {
  readonly #longest = new Map<string, Longest>();

  add(one: Toleration): void {
    const place = placeOf(one);
    const seconds = one.effect === 'NoExecute' ? secondsOf(one) : Infinity;
    const before = this.#longest.get(place);
    if (before === undefined || seconds > before.seconds) this.#longest.set(place, { seconds, one });
    else if (seconds === before.seconds && !isDeepEqual(one, before.one)) this.#longest.set(place, { ...before, other: one });
  }

  has(one: Toleration): boolean {
    return this.#widerThan(one).some(({ seconds }) => seconds >= secondsOf(one));
  }

  /** The same, without those that are equal to it. */
  hasWider(one: Toleration): boolean {
    const needed = secondsOf(one);
    return this.#widerThan(one).some(({ seconds, one: wide, other }) => seconds > needed || (seconds === needed && (other !== undefined || !isDeepEqual(wide, one))));
  }

  /** Those that cover this one if their time does. */
  #widerThan(one: Toleration): readonly Longest[] {
    const { key = '', effect = '' } = one;
    const rules: readonly (readonly [key: string, rule: string])[] = [[key, ruleOf(one)], [key, 'Exists'], ['', 'Exists']];
    const places = rules.flatMap(([of, rule]) => [placeAt(of, rule, effect), placeAt(of, rule, '')]);
    return places.flatMap((place) => this.#longest.get(place) ?? []);
  }
}

const secondsOf = ({ tolerationSeconds }: Toleration): number => (tolerationSeconds === undefined ? Infinity : Number(tolerationSeconds));

const placeAt = (key: string, rule: string, effect: string): string => JSON.stringify([key, rule, effect]);

/** With `Exists`, the value means nothing. */
const ruleOf = ({ operator = '', value = '' }: Toleration): string => (operator === 'Exists' ? operator : JSON.stringify([operator, value]));

const placeOf = (one: Toleration): string => placeAt(one.key ?? '', ruleOf(one), one.effect ?? '');
