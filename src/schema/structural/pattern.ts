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
  /** Bytes in memory, estimated. */
  readonly weight: number;
}

/** The largest pattern, in instructions. */
const MAX_SIZE = 100_000;
/** What a compiled pattern takes in memory, as measured: this much whatever it says, and this much for each instruction. */
const PATTERN_BYTES = 4_000;
const INSTRUCTION_BYTES = 400;
/** Of all patterns that are kept, also those of schemas that are gone. */
const MAX_KEPT_BYTES = 48 * 1024 * 1024;
const compiled = new GenerationCache<string, Pattern>(MAX_KEPT_BYTES, ({ weight }) => weight);

function compile(text: string): Pattern {
  const size = sizeOfPattern(text);
  const weight = PATTERN_BYTES + size * INSTRUCTION_BYTES + text.length;
  if (size > MAX_SIZE) return { fault: 'expression too large', size, weight, matches: () => false };
  try {
    const pattern = RE2JS.compile(text);
    return { size, weight, matches: (value) => pattern.test(value) };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : 'it has no meaning', size, weight, matches: () => false };
  }
}
