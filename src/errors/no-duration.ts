import { parseDurationMs } from '#base';
import { goQuoted } from './go-value.ts';

/** In characters: longer texts are never durations. */
const MAX_LOOKED_AT = 64;

/** The message for a text that is not a duration, in the wording of Go's `time.ParseDuration`, as in kube-apiserver. */
export function noDuration(text: string): string {
  const shown = goQuoted(text);
  for (const [, number = '', unit = ''] of text.slice(0, MAX_LOOKED_AT).replace(/^[+-]/, '').matchAll(/(\d*\.?\d*)([^\d.]*)/g)) {
    if (number === '' || number === '.') break;
    if (unit === '') return `time: missing unit in duration ${shown}`;
    if (parseDurationMs(`1${unit}`) === undefined) return `time: unknown unit ${goQuoted(unit)} in duration ${shown}`;
  }
  return `time: invalid duration ${shown}`;
}
