import { RE2JS } from 're2js';

/** A pattern in RE2 syntax, matched in linear time whatever it says. undefined: it is none. */
export function compilePattern(text: string): { matches(value: string): boolean } | undefined {
  const kept = compiled.get(text);
  if (kept !== undefined) return kept === BROKEN ? undefined : kept;
  if (compiled.size >= MAX_KEPT) compiled.clear();
  const pattern = compile(text);
  compiled.set(text, pattern ?? BROKEN);
  return pattern;
}

interface Pattern {
  matches(value: string): boolean;
}

const MAX_KEPT = 1024;
const BROKEN: Pattern = { matches: () => false };
const compiled = new Map<string, Pattern>();

function compile(text: string): Pattern | undefined {
  try {
    const pattern = RE2JS.compile(text);
    return { matches: (value) => pattern.matcher(value).find() };
  } catch {
    return undefined;
  }
}
