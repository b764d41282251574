import { isDeepEqual, isJsonObject, jsonText, memberOf } from '#base';

const MOST_PLACES = 10;
const MOST_CHARACTERS = 200;

/**
 * Says where two JSON values differ, for the message about something that may not change: for each place a line with `-` and what was sent, and one
 * with `+` and what is kept, the signs that kube-apiserver uses there; `nil` is what is not there. Begins with a line break. Of many places the first
 * are named, of long values the beginning is shown.
 */
export function differenceText(sent: unknown, kept: unknown): string {
  const lines: string[] = [];
  const places = differences(sent, kept, '');
  for (let count = 0; count < MOST_PLACES; count++) {
    const place = places.next();
    if (place.done === true) return lines.join('');
    const { path, one, other } = place.value;
    lines.push(`\n- ${path}: ${show(one)}\n+ ${path}: ${show(other)}`);
  }
  return lines.join('') + (places.next().done === true ? '' : '\n...');
}

interface Difference {
  readonly path: string;
  readonly one: unknown;
  readonly other: unknown;
}

function* differences(one: unknown, other: unknown, path: string): Generator<Difference, void> {
  if (isDeepEqual(one, other)) return;
  if (isJsonObject(one) && isJsonObject(other)) {
    for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
      yield* differences(memberOf(one, name), memberOf(other, name), path === '' ? name : `${path}.${name}`);
    }
  } else if (Array.isArray(one) && Array.isArray(other)) {
    for (let position = 0; position < Math.max(one.length, other.length); position++) yield* differences(one[position], other[position], `${path}[${position}]`);
  } else yield { path, one, other };
}

function show(value: unknown): string {
  if (value === undefined || value === null) return 'nil';
  const text = jsonText(value);
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}...`;
}
