/** The same text, to be remembered: the engine may have made it as a part of a whole body, which would be kept with it. */
export const ownText = (text: string): string => JSON.parse(JSON.stringify(text)) as string;
