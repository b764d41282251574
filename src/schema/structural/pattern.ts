import { GenerationCache } from '#base';
import { RE2JS } from 're2js';
import { sizeOfPattern } from './pattern-size.ts';

/** A pattern that is one. */
export interface CompiledPattern {
  /** Matching takes time in proportion to it and to the text, at worst. */
  readonly size: number;
  matches(value: string): boolean;
}

/** A pattern in RE2 syntax, matched in linear time whatever it says. undefined: it is none. */
export function compilePattern(text: string): CompiledPattern | undefined {
  const pattern = keep(text);
  return pattern.fault === undefined ? pattern : undefined;
}

/** Why a text is no pattern; undefined: it is one. */
export const faultOfPattern = (text: string): string | undefined => keep(text).fault;

function keep(text: string): Pattern {
  const kept = compiled.get(text);
  if (kept !== undefined) return kept;
  const pattern = compile(text);
  compiled.set(text, pattern);
  return pattern;
}

interface Pattern extends CompiledPattern {
  readonly fault?: string;
  readonly weight: number;
}

/** In instructions, each of which takes some hundred bytes. */
const MAX_SIZE = 100_000;
const MAX_KEPT = 400_000;
const compiled = new GenerationCache<string, Pattern>(MAX_KEPT, ({ weight }) => weight);

function compile(text: string): Pattern {
  const size = sizeOfPattern(text);
  const weight = size + text.length;
  if (size > MAX_SIZE) return { fault: 'expression too large', size, weight, matches: () => false };
  try {
    const pattern = RE2JS.compile(text);
    return { size, weight, matches: (value) => pattern.test(value) };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : 'it has no meaning', size, weight, matches: () => false };
  }
}
