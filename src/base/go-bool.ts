const WORDS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((word) => [word, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((word) => [word, false] as const),
]);

/** The boolean that Go's `strconv.ParseBool` reads, in flags and settings of Kubernetes. Undefined: the text is none. */
export const goBool = (text: string): boolean | undefined => WORDS.get(text);
