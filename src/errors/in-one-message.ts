/** Joins the messages of several failures as Go prints a list of errors: one alone as it is, several in brackets. */
export const inOneMessage = (texts: readonly string[]): string => (texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`);
