/** What is told of several failures at once: one alone as it is, several in brackets, as Go writes a list of errors. */
export const inOneMessage = (texts: readonly string[]): string => (texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`);
