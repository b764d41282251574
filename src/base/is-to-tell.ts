/**
 * Whether a log is to tell of what has failed so many times in a row: of the first, and whenever their number has doubled. What never succeeds is tried
 * again for as long as a server runs, and a log that told of each time would grow with it.
 */
export const isToTell = (failures: number): boolean => (failures & (failures - 1)) === 0;
