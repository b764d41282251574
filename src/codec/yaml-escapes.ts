/** An escape of eight digits for a code above the last character. An even number of backslashes before it stands for themselves. */
const ABOVE_LAST = /(?<!\\)(?:\\\\)*\\U(?!000|0010)/;
/** One half of a surrogate pair without the other. */
const LONE_HALF = /\p{Surrogate}/u;

/** Whether a double-quoted scalar has an escape that stands for no character. `written`: what is between its quotes; `read`: its value. */
export const escapesNoCharacter = (written: string, read: string): boolean => ABOVE_LAST.test(written) || LONE_HALF.test(read);
