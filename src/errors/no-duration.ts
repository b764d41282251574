import { parseDurationMs } from '#base';
import { goQuoted } from './go-value.ts';

/** Longer texts are no durations, whatever they say. */
const MAX_LOOKED_AT = 64;

/** Why a text is no duration, in the words of Go, which clients of kube-apiserver know. */
export function noDuration(text: string): string {
  const shown = goQuoted(text);
  for (const [, number = '', unit = ''] of text.slice(0, MAX_LOOKED_AT).replace(/^[+-]/, '').matchAll(/(\d*\.?\d*)([^\d.]*)/g)) {
    if (number === '' || number === '.') break;
    if (unit === '') return `time: missing unit in duration ${shown}`;
    if (parseDurationMs(`1${unit}`) === undefined) return `time: unknown unit ${goQuoted(unit)} in duration ${shown}`;
  }
  return `time: invalid duration ${shown}`;
}
