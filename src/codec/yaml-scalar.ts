/**
 * Resolves plain YAML scalars by YAML 1.1, as kube-apiserver's library does. `y`, `on` and `0o17` are not strings; timestamps are.
 */

const WORDS: ReadonlyMap<string, boolean | null | number> = new Map<string, boolean | null | number>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, Number.NaN] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((word) => [word, Number.POSITIVE_INFINITY] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((word) => [word, Number.NEGATIVE_INFINITY] as const),
]);

const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const DOT_FLOAT = /^\.[0-9]+(?:[eE][-+]?[0-9]+)?$/;
const INTEGER = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/;
const TIMESTAMP = /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:$|[Tt ])/;

/** In characters. Longer texts are not read as numbers: no number of the API needs more digits. */
const MAX_NUMBER = 400;

export type YamlScalar = string | number | bigint | boolean | null;

/** The value of a plain scalar; the text itself if it is a string. */
export function resolvePlain(text: string): YamlScalar {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  const first = text.charAt(0);
  if (text.length > MAX_NUMBER) return text;
  if (first === '.') return DOT_FLOAT.test(text) ? finite(text) : text;
  if (first !== '-' && first !== '+' && (first < '0' || first > '9')) return text;
  if (TIMESTAMP.test(text)) return text;
  const digits = text.replaceAll('_', '');
  return parseInteger(digits) ?? (FLOAT.test(digits) ? finite(digits, text) : text);
}

const finite = (digits: string, text = digits): number | string => (Number.isFinite(Number(digits)) ? Number(digits) : text);

/** An integer in any notation of YAML; undefined: not an integer, or one of more than 64 bits. */
function parseInteger(text: string): number | bigint | undefined {
  const parts = INTEGER.exec(text);
  if (parts === null) return undefined;
  const [, sign, hex, binary, octal, decimal] = parts;
  const magnitude =
    hex !== undefined
      ? BigInt(`0x${hex}`)
      : binary !== undefined
        ? BigInt(`0b${binary}`)
        : octal !== undefined
          ? BigInt(`0o${octal}`)
          : BigInt(decimal ?? '');
  const value = sign === '-' ? -magnitude : magnitude;
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  if (BigInt.asIntN(64, value) === value) return value;
  return sign === '' && BigInt.asUintN(64, value) === value ? number : undefined;
}
