import { RE2JS } from 're2js';

/** A pattern in RE2 syntax, matched in linear time whatever it says. undefined: it is none. */
export function compilePattern(text: string): { matches(value: string): boolean } | undefined {
  const pattern = keep(text);
  return pattern.fault === undefined ? pattern : undefined;
}

/** Why a text is no pattern; undefined: it is one. */
export const faultOfPattern = (text: string): string | undefined => keep(text).fault;

function keep(text: string): Pattern {
  const kept = compiled.get(text);
  if (kept !== undefined) return kept;
  if (compiled.size >= MAX_KEPT) compiled.clear();
  const pattern = compile(text);
  compiled.set(text, pattern);
  return pattern;
}

interface Pattern {
  readonly fault?: string;
  matches(value: string): boolean;
}

const MAX_KEPT = 1024;
const compiled = new Map<string, Pattern>();

function compile(text: string): Pattern {
  try {
    const pattern = RE2JS.compile(text);
    return { matches: (value) => pattern.matcher(value).find() };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : 'it has no meaning', matches: () => false };
  }
}
