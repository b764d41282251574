/** Control characters, line ends, changes of direction. */
const ACTED_ON = /[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Replaces what terminals act on: text from the server cannot move the cursor, change colours, begin a line or turn the order of what follows it. */
export const visible = (text: string): string => text.replaceAll(ACTED_ON, ' ');

/** Like `visible`, for a text of several lines, which stay. */
export const visibleLines = (text: string): string => text.split('\n').map(visible).join('\n');
