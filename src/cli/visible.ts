/** Replaces control characters: text from the server cannot move the cursor, change colours or begin a line. */
export const visible = (text: string): string => text.replaceAll(/[\x00-\x1f\x7f-\x9f]/g, ' ');

/** Like `visible`, for a text of several lines, which stay. */
export const visibleLines = (text: string): string => text.split('\n').map(visible).join('\n');
