import { GenerationCache } from '#base';
import { RE2JS } from 're2js';
import { sizeOfPattern } from './pattern-size.ts';

/** A valid pattern. */
export interface CompiledPattern {
  /** Its number of instructions: matching takes at worst time proportional to it times the text. */
  readonly size: number;
  matches(value: string): boolean;
}

/** Compiles a pattern in RE2 syntax, which matches in linear time. undefined: it is invalid. */
export function compilePattern(text: string): CompiledPattern | undefined {
  const pattern = keep(text);
  return pattern.fault === undefined ? pattern : undefined;
}

/** Why a pattern is invalid; undefined: it is valid. */
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

/** The largest pattern, in instructions of some hundred bytes each. */
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
