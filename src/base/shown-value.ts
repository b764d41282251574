import { tagOf } from './foreign-value.ts';

/** Longer texts may be keys. */
const MAX_SHOWN = 40;

/** A value in a message that says what it should have been. What lists and objects hold is not shown: it may be secret. */
export function shownValue(value: unknown): string {
  if (typeof value === 'string') return value.length > MAX_SHOWN ? 'a longer text' : JSON.stringify(value);
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  const tag = tagOf(value);
  return tag === 'Object' ? 'an object' : `a ${tag}`;
}
